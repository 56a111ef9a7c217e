import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { GatehouseModuleOptions, PersistenceOptions } from './contracts/options.js';

/** What is fixed before any provider exists, so it stands beside `useFactory`, not inside. */
export interface GatehouseModuleExtras {
  /** Default true. */
  isGlobal?: boolean;
  /** Omitted: everything lives in memory. */
  persistence?: PersistenceOptions;
}

/** What a factory may return. */
export type FactoryOptions = Omit<GatehouseModuleOptions, keyof GatehouseModuleExtras>;

export const {
  ConfigurableModuleClass,
  MODULE_OPTIONS_TOKEN: GATEHOUSE_OPTIONS,
  ASYNC_OPTIONS_TYPE,
} = new ConfigurableModuleBuilder<FactoryOptions>({ moduleName: 'Gatehouse' })
  .setClassMethodName('forRoot')
  .setExtras<GatehouseModuleExtras>({ isGlobal: true, persistence: undefined }, (definition, { isGlobal }) => ({
    ...definition,
    global: isGlobal ?? true,
  }))
  .build();

/** Options of `GatehouseModule.forRootAsync`: `useFactory`, `useClass` or `useExisting`, with `isGlobal` and `persistence` beside it. */
export type GatehouseModuleAsyncOptions = typeof ASYNC_OPTIONS_TYPE;
