import { Module, type DynamicModule } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { ConfigurationError } from './contracts/errors/configuration.error.js';
import type { GatehouseModuleOptions, PersistenceOptions } from './contracts/options.js';
import { ConfigurableModuleClass, type GatehouseModuleAsyncOptions } from './gatehouse.module-definition.js';
import { ClockModule } from './wiring/clock.module.js';
import { exportedProviders, gatehouseProviders } from './wiring/gatehouse.providers.js';
import { optionsProviders } from './wiring/options.providers.js';
import { persistenceModule } from './wiring/persistence.module.js';

/**
 * Governs what a model may call: every proposed call is inspected, gated by a person where it matters, run, and recorded.
 *
 * @example
 * ```ts
 * @Module({
 *   imports: [TypeOrmModule.forRoot({ … }), GatehouseModule.forRoot({ persistence: {}, guard: { enabled: true } })],
 *   providers: [OrderTools, SupportAgent],
 * })
 * class AppModule {}
 * ```
 */
@Module({})
export class GatehouseModule extends ConfigurableModuleClass {
  /** Throws `ConfigurationError` for options that cannot work. Once per application. */
  static override forRoot(options: GatehouseModuleOptions = {}): DynamicModule {
    return assembled(super.forRoot(options), options.persistence);
  }

  static override forRootAsync(options: GatehouseModuleAsyncOptions): DynamicModule {
    const ways = [options?.useFactory, options?.useClass, options?.useExisting].filter((way) => way !== undefined);
    if (ways.length !== 1) {
      throw new ConfigurationError(
        'GatehouseModule.forRootAsync needs exactly one of useFactory, useClass, useExisting.',
      );
    }
    return assembled(super.forRootAsync(options), options.persistence);
  }
}

const assembled = (definition: DynamicModule, persistence: PersistenceOptions | undefined): DynamicModule => ({
  ...definition,
  imports: [...(definition.imports ?? []), DiscoveryModule, ClockModule, persistenceModule(persistence)],
  providers: [...(definition.providers ?? []), ...optionsProviders(persistence), ...gatehouseProviders],
  exports: [...(definition.exports ?? []), ...exportedProviders],
});
