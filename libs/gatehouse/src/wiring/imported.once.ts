import type { ModulesContainer } from '@nestjs/core';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import { GATEHOUSE_OPTIONS } from '../gatehouse.module-definition.js';

/**
 * One application has one Gatehouse: a second one would offer every tool again, and keep runs and approvals of its own.
 *
 * @throws ConfigurationError where modules of the application import it with options of their own
 */
export function assertImportedOnce(modules: ModulesContainer): void {
  const imported = [...modules.values()].filter(({ providers }) => providers.has(GATEHOUSE_OPTIONS)).length;
  if (imported < 2) return;
  throw new ConfigurationError(
    `GatehouseModule is set up ${imported} times in this application. Call forRoot or forRootAsync once, in the root module: it is global. ` +
      `With isGlobal: false, keep what that call returns, and import the same object wherever it is needed.`,
  );
}
