import type { Provider } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { PersistenceOptions } from '../contracts/options.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { GATEHOUSE_OPTIONS, type FactoryOptions } from '../gatehouse.module-definition.js';
import { Redactor } from '../values/redactor.js';
import { assertImportedOnce } from './imported.once.js';
import { resolveOptions } from './resolve.options.js';

/** The options with their defaults, and the pure values made of them. */
export const optionsProviders = (persistence: PersistenceOptions | undefined): Provider[] => [
  {
    provide: ResolvedOptions,
    inject: [GATEHOUSE_OPTIONS, ModulesContainer],
    useFactory: (options: FactoryOptions, modules: ModulesContainer) => {
      // Everything else needs the options: nothing has been opened yet.
      assertImportedOnce(modules);
      return resolveOptions(options, persistence);
    },
  },
  {
    provide: Redactor,
    inject: [ResolvedOptions],
    useFactory: (options: ResolvedOptions) => new Redactor(options.redaction),
  },
];
