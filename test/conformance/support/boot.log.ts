import type { Provider } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { GatehouseModule, type GatehouseModuleOptions } from 'nest-gatehouse';

/** What an application with these providers says while it boots. */
export async function bootLog(providers: readonly Provider[], options: GatehouseModuleOptions) {
  const said: { readonly level: string; readonly context: string; readonly message: string }[] = [];
  const take =
    (level: string) =>
    (message: unknown, ...rest: unknown[]): void =>
      void said.push({ level, context: String(rest.at(-1)), message: String(message) });
  const module: TestingModule = await Test.createTestingModule({
    imports: [GatehouseModule.forRoot(options)],
    providers: [...providers],
  })
    .setLogger({ log: take('log'), warn: take('warn'), error: take('error') })
    .compile();
  module.enableShutdownHooks([]);
  await module.init();
  const lines = (wanted: string) =>
    said.filter(({ context }) => context === wanted).map(({ level, message }) => [level, message]);
  return { module, lines };
}
