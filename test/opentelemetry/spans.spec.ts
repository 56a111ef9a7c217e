import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import {
  Decide,
  Middleware,
  type OperationInspector,
  type RunContext,
  type ToolCall,
  type ToolMiddleware,
} from 'nest-gatehouse';
import { GatehouseTracingModule, type TracingOptions } from 'nest-gatehouse/opentelemetry';
import { call, says } from 'nest-gatehouse/testing';
import { ANN, boot, type GovernedApp } from '../support/governed/governed.app.js';
import { CollectedSpans } from './support/collected.spans.js';
import { HelperAgent, RefundTools } from './support/refund.tools.js';

const spans = new CollectedSpans();
const THREAD = 'thread-1';
let app: GovernedApp;

const start = async (options?: TracingOptions, roles: (new () => object)[] = []): Promise<void> => {
  app = await boot({
    providers: [RefundTools, HelperAgent, ...roles],
    imports: [GatehouseTracingModule.forRoot(options)],
  });
};

beforeEach(() => spans.register());
afterEach(async () => {
  await app.close();
  spans.unregister();
});

describe('a call that ran', () => {
  it("is a span of its run's, and around what its method does", async () => {
    await start();
    const { handle } = await app.play([[call('lookup', { order: 1 }, 'call-1')], [says('done')]], { threadId: THREAD });
    expect(spans.lines()).toEqual([
      'invoke_agent (inline) < -',
      'execute_tool lookup < invoke_agent (inline)',
      'SELECT orders < execute_tool lookup',
    ]);
    const [operation] = await app.operations(handle.runId);
    const run = spans.named('invoke_agent (inline)');
    expect([run.kind, run.status, run.attributes]).toEqual([
      SpanKind.INTERNAL,
      { code: SpanStatusCode.UNSET },
      {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': '(inline)',
        'gen_ai.conversation.id': THREAD,
        'gatehouse.run_id': handle.runId,
        'gatehouse.status': 'completed',
      },
    ]);
    const tool = spans.named('execute_tool lookup');
    expect([tool.kind, tool.status, tool.events, tool.attributes]).toEqual([
      SpanKind.INTERNAL,
      { code: SpanStatusCode.UNSET },
      [],
      {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'lookup',
        'gen_ai.tool.call.id': 'call-1',
        'gen_ai.tool.type': 'function',
        'gen_ai.tool.description': 'Look up one order',
        'gatehouse.run_id': handle.runId,
        'gatehouse.operation_id': operation?.id,
        'gatehouse.record_id': app.records.events[0]?.id,
        'gatehouse.status': 'completed',
      },
    ]);
  });

  it('and failed is known by the class of what was thrown, never by its words', async () => {
    await start();
    await app.play([[call('broken')], [call('odd')], [says('done')]]);
    expect(spans.lines().slice(1)).toEqual([
      'execute_tool broken < invoke_agent (inline) ! QueryFailedError',
      'execute_tool odd < invoke_agent (inline) ! _OTHER',
    ]);
    expect(spans.named('execute_tool broken').status).toEqual({ code: SpanStatusCode.ERROR });
    expect(JSON.stringify(spans.all.map(({ attributes, events }) => [attributes, events]))).not.toContain('hunter2');
  });

  it('has one span, however often a middleware started it', async () => {
    @Middleware()
    class Again implements ToolMiddleware {
      async aroundTool(_: ToolCall, next: () => Promise<unknown>) {
        await next();
        return next();
      }
    }
    await start({}, [Again]);
    await app.play([[call('lookup', { order: 1 })], [says('done')]]);
    expect(spans.lines().slice(1)).toEqual([
      'execute_tool lookup < invoke_agent (inline)',
      'SELECT orders < execute_tool lookup',
      'SELECT orders < execute_tool lookup',
    ]);
  });

  it('by a program belongs to whatever that program is in, and no agent was invoked', async () => {
    await start();
    await trace.getTracer('http').startActiveSpan('GET /orders', async (span) => {
      await app.tools.call('lookup', { order: 1 }, { user: ANN });
      span.end();
    });
    expect(spans.lines()).toEqual([
      'GET /orders < -',
      'execute_tool lookup < GET /orders',
      'SELECT orders < execute_tool lookup',
    ]);
  });

  it('and started a run is what that run belongs to', async () => {
    await start();
    const { handle } = await app.play([[call('delegate')], [says('done')]]);
    expect(spans.lines()).toEqual([
      'invoke_agent (inline) < -',
      'execute_tool delegate < invoke_agent (inline)',
      'invoke_agent helper < execute_tool delegate',
    ]);
    expect(spans.named('invoke_agent helper').attributes['gatehouse.parent_run_id']).toBe(handle.runId);
  });
});

describe('a call that never ran', () => {
  const refusing: OperationInspector = {
    inspectOperation: ({ toolName }) =>
      toolName === 'broken' ? Decide.reject('because of customer 4711') : Decide.accept(),
  };

  it('has a span that says who refused it, what that skipped, and never why', async () => {
    await start();
    const { handle } = await app.play([[call('lookup'), call('broken'), call('odd')], [says('done')]], {
      inspectors: [refusing],
    });
    expect(await app.statuses(handle.runId)).toEqual(['lookup completed', 'broken rejected', 'odd skipped by broken']);
    expect(spans.lines().filter((line) => line.startsWith('execute_tool'))).toEqual([
      'execute_tool lookup < invoke_agent (inline)',
      'execute_tool broken < invoke_agent (inline) ! rejected',
      'execute_tool odd < invoke_agent (inline) ! skipped',
    ]);
    const { events } = spans.named('execute_tool broken');
    expect(events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['gatehouse.decision', { 'gatehouse.status': 'rejected', 'gatehouse.decided_by': 'inspector' }],
    ]);
    expect(spans.named('execute_tool odd').events[0]?.attributes).toEqual({
      'gatehouse.status': 'skipped',
      'gatehouse.decided_by': 'barrier',
    });
    expect(JSON.stringify(spans.all.map(({ attributes, events: all }) => [attributes, all]))).not.toContain('4711');
  });

  it('because an inspector ended the run ends both spans so', async () => {
    await start();
    const aborting: OperationInspector = { inspectOperation: () => Decide.abort('enough') };
    await app.play([[call('lookup')]], { inspectors: [aborting] });
    expect(spans.lines()).toEqual([
      'invoke_agent (inline) < - ! aborted',
      'execute_tool lookup < invoke_agent (inline) ! aborted',
    ]);
  });

  it('under a name that is no name leaves that out of the name of its span', async () => {
    await start();
    await app.play([[call('drop table\n"users"')], [says('done')]]);
    expect(spans.lines()[1]).toMatch(/^execute_tool < invoke_agent \(inline\) ! \w+$/);
  });
});

describe('a call that waited for a person', () => {
  it('has no span until it is decided; approved, it runs in the segment that goes on', async () => {
    await start();
    const { handle, outcome } = await app.play([[call('refund', { order: 1 })], [says('done')]]);
    expect(spans.lines()).toEqual(['invoke_agent (inline) < -']);
    expect(spans.all[0]?.attributes['gatehouse.status']).toBe('suspended');
    if (outcome.status !== 'suspended') throw new Error(outcome.status);
    await app.resumed(handle.runId, [{ approvalId: outcome.approvals[0]!.id, approved: true }]);
    expect(spans.lines()).toEqual([
      'invoke_agent (inline) < -',
      'invoke_agent (inline) < -',
      'execute_tool refund < invoke_agent (inline)',
    ]);
  });

  it('and was denied has one without work', async () => {
    await start();
    const { handle, outcome } = await app.play([[call('refund', { order: 1 })], [says('done')]]);
    if (outcome.status !== 'suspended') throw new Error(outcome.status);
    await app.resumed(handle.runId, [{ approvalId: outcome.approvals[0]!.id, approved: false, note: 'no' }]);
    expect(spans.lines()[2]).toBe('execute_tool refund < invoke_agent (inline) ! denied');
    expect(spans.named('execute_tool refund').events[0]?.attributes).toEqual({
      'gatehouse.status': 'denied',
      'gatehouse.decided_by': 'person',
    });
  });
});

it('a call that was handed on has a span until it was, and another one when its result is there', async () => {
  await start();
  const { handle } = await app.play([[call('print', {}, 'c1')], [says('done')]]);
  await app.answered(handle.runId, [{ toolCallId: 'c1', value: 'printed' }]);
  expect(spans.lines()).toEqual([
    'invoke_agent (inline) < -',
    'execute_tool print < invoke_agent (inline)',
    'invoke_agent (inline) < -',
    'execute_tool print < invoke_agent (inline)',
  ]);
  const said = spans.all.filter(({ name }) => name === 'execute_tool print').map(({ attributes }) => attributes);
  expect(said.map((each) => [each['gatehouse.status'], each['gatehouse.decided_by']])).toEqual([
    ['waiting', undefined],
    ['deferred', 'external'],
  ]);
});

describe('the span of a run', () => {
  it('says what the model used', async () => {
    await start();
    const execute = async (run: RunContext) => {
      await run.callBatch([{ toolName: 'lookup', args: { order: 1 } }], { inputTokens: 120, outputTokens: 7 });
      return { value: 'done' };
    };
    await app.runner.start({ agent: { execute }, input: 'go', user: ANN }).outcome;
    const { attributes } = spans.named('invoke_agent (inline)');
    expect([attributes['gen_ai.usage.input_tokens'], attributes['gen_ai.usage.output_tokens']]).toEqual([120, 7]);
  });

  it('of one that failed names the class of its error', async () => {
    await start();
    const execute = () => Promise.reject(new RangeError('secret'));
    await app.runner.start({ agent: { execute }, input: 'go', user: ANN }).outcome;
    expect(spans.lines()).toEqual(['invoke_agent (inline) < - ! RangeError']);
  });

  it('of one that was cancelled says so', async () => {
    await start();
    const { handle } = await app.play([[call('refund', { order: 1 })]]);
    await app.runner.cancel(handle.runId, 'enough');
    expect(spans.lines().slice(1)).toEqual([
      'invoke_agent (inline) < - ! cancelled',
      'execute_tool refund < invoke_agent (inline) ! skipped',
    ]);
  });
});

describe('arguments and results', () => {
  const content = () => {
    const { attributes } = spans.named('execute_tool lookup');
    return [attributes['gen_ai.tool.call.arguments'], attributes['gen_ai.tool.call.result']];
  };

  it.each([
    ['are left out', undefined, [undefined, undefined]],
    [
      'inline: are redacted',
      { content: 'inline' } as const,
      ['{"order":1,"password":"[redacted]"}', '{"order":1,"status":"shipped","token":"[redacted]"}'],
    ],
  ])('%s', async (_, options, expected) => {
    await start(options);
    await app.play([[call('lookup', { order: 1, password: 'hunter2' })], [says('done')]]);
    expect(content()).toEqual(expected);
  });

  it('a word for neither is refused', () => {
    expect(() => GatehouseTracingModule.forRoot({ content: 'all' as 'none' })).toThrow(
      "content is 'all': write 'none' or 'inline'",
    );
  });
});
