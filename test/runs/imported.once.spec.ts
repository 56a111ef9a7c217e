import { Injectable, Module } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { AgentRunner, ConfigurationError, GatehouseModule, Tool, ToolRegistry } from 'nest-gatehouse';
import { call, says, scriptedExecutor } from 'nest-gatehouse/testing';
import { z } from 'zod';

@Injectable()
class Tools {
  @Tool({ description: 'fails', parameters: z.object({}) })
  fail(): never {
    throw new Error('no');
  }
}

const TWICE =
  'GatehouseModule is set up 2 times in this application. Call forRoot or forRootAsync once, in the root module: it is global. ' +
  'With isGlobal: false, keep what that call returns, and import the same object wherever it is needed.';
const refused = async (...imports: Parameters<typeof appOf>) => {
  const compiled = appOf(...imports).compile();
  await expect(compiled).rejects.toThrow(TWICE);
  await expect(compiled).rejects.toBeInstanceOf(ConfigurationError);
};
const appOf = (...imports: NonNullable<Parameters<typeof Test.createTestingModule>[0]['imports']>) =>
  Test.createTestingModule({ imports, providers: [Tools] });

describe('GatehouseModule in one application', () => {
  it('set up twice is refused at boot, and the message says what to do', async () => {
    await refused(GatehouseModule.forRoot({}), GatehouseModule.forRoot({ guard: { enabled: true } }));
  });

  it('set up in a feature module too is refused, with a factory as well', async () => {
    @Module({ imports: [GatehouseModule.forRootAsync({ useFactory: () => ({ guard: { enabled: false } }) })] })
    class Feature {}
    await refused(Feature, GatehouseModule.forRoot({}));
  });

  it('set up once and imported by many is one', async () => {
    const once = GatehouseModule.forRoot({ isGlobal: false });
    @Module({ imports: [once] })
    class Feature {}
    const app = await appOf(Feature, once).compile();
    await app.init();
    expect(app.get(ToolRegistry).list()).toMatchObject([{ name: 'fail' }]);
    await app.close();
  });

  it('loaded lazily a second time is refused, and the first goes on with its own defaults', async () => {
    const app = await appOf(GatehouseModule.forRoot({})).compile();
    await app.init();
    const second = app.get(LazyModuleLoader).load(() => GatehouseModule.forRoot({ guard: { enabled: true } }));
    await expect(second).rejects.toThrow(TWICE);
    const script = scriptedExecutor([[call('fail')], [says('ok')]]);
    const { outcome } = app.get(AgentRunner).start({ agent: script, input: 'go', user: { id: 'ann' } });
    expect(await outcome).toMatchObject({ status: 'completed', output: 'ok' });
    expect(script.results[0]).toMatchObject([{ outcome: 'failed', status: 'failed' }]);
    await app.close();
  });
});
