import { Injectable, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import type { LanguageModel } from 'ai';
import { Agent, AgentRunner, GatehouseModule, Tool, type OutputSpec } from 'nest-gatehouse';
import { ModelAgent } from 'nest-gatehouse/ai-sdk';
import { call, says, ScriptedModel } from 'nest-gatehouse/testing';
import { z } from 'zod';

@Injectable()
class Orders {
  @Tool('Counts the orders')
  count(): number {
    return 4;
  }
}

/** Also keeps the format that was asked for. */
class FormattedModel extends ScriptedModel {
  readonly formats: unknown[] = [];

  override doStream(options: Parameters<ScriptedModel['doStream']>[0] & { readonly responseFormat?: unknown }) {
    this.formats.push(options.responseFormat);
    return super.doStream(options);
  }
}

let app: TestingModule;
afterEach(() => app.close());

const played = async (model: ScriptedModel, output: OutputSpec) => {
  @Agent({ name: 'counter', output })
  class Counter extends ModelAgent {
    override model = model as unknown as LanguageModel;
  }
  @Module({ imports: [GatehouseModule.forRoot()], providers: [Orders, Counter] })
  class CounterModule {}
  app = await Test.createTestingModule({ imports: [CounterModule] }).compile();
  await app.init();
  return app.get(AgentRunner).start({ agent: 'counter', input: 'How many orders?' }).outcome;
};

const schema = z.object({ orders: z.number() });

describe('an agent on a model, with an output', () => {
  it('is offered final_output beside its tools, and ends with what the model gives', async () => {
    const model = new ScriptedModel([[call('count')], [call('final_output', { return: { orders: 4 } })]]);
    const outcome = await played(model, { schema });
    expect(model.requests[0]?.tools).toEqual(['count', 'final_output']);
    expect(outcome).toMatchObject({ status: 'completed', output: { orders: 4 } });
  });

  it('tells the model of an output that is none, and takes the next one', async () => {
    const model = new ScriptedModel([
      [call('final_output', { return: { orders: 'four' } })],
      [call('final_output', { returnCall: { toolName: 'count' } })],
    ]);
    const outcome = await played(model, { schema: z.number() });
    expect(model.requests[1]?.lastResults[0]?.content).toContain('The final output was not accepted');
    expect(outcome).toMatchObject({ status: 'completed', output: 4 });
  });

  it('asks the provider for JSON in native mode, and tells the model of text that is none', async () => {
    const model = new FormattedModel([[says('Four.')], [says('{"return":{"orders":4}}')]]);
    const outcome = await played(model, { schema, mode: 'native' });
    expect(model.formats[0]).toMatchObject({ type: 'json', schema: { properties: { return: { type: 'object' } } } });
    expect(model.requests[0]?.tools).toEqual(['count']);
    expect(model.requests[1]?.lastUserText).toContain('The final output was not accepted');
    expect(outcome).toMatchObject({ status: 'completed', output: { orders: 4 } });
  });
});
