import { context, ROOT_CONTEXT, trace, type ContextManager, type TracerProvider } from '@opentelemetry/api';
import { AlwaysOffSampler, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { Injectable } from '@nestjs/common';
import { Decide, Tool, TraceContext, type AuditEvent, type AuditLogger, type OperationInspector } from 'nest-gatehouse';
import { GatehouseTracingModule } from 'nest-gatehouse/opentelemetry';
import { call, captureLog, says, scriptedExecutor } from 'nest-gatehouse/testing';
import { bootOn, STORES } from '../support/governed/stores.js';
import { boot } from '../support/governed/governed.app.js';
import { CollectedSpans, placeOf } from './support/collected.spans.js';
import { HelperAgent, RefundTools } from './support/refund.tools.js';

const spans = new CollectedSpans();
const providers = [RefundTools, HelperAgent];
const STORY = [[call('plain', { order: 1 }), call('broken')], [call('odd'), call('plain')], [says('done')]];
const refusing: OperationInspector = {
  inspectOperation: ({ toolName }) => (toolName === 'odd' ? Decide.reject('no') : Decide.accept()),
};

afterEach(() => spans.unregister());

describe.each(STORES)('in %s', (store) => {
  it('a record names the span of what it tells of, also of what never ran', async () => {
    spans.register();
    const app = await bootOn(store, { providers, imports: [GatehouseTracingModule.forRoot()] });
    try {
      const { handle } = await app.play([[call('lookup', { order: 1 }), call('odd')], [says('done')]], {
        inspectors: [refusing],
      });
      const { runId } = handle;
      const [lookup, odd] = await app.operations(runId);
      const [executed] = app.records.events;
      const { items } = await app.trail.terminals({ runId });
      expect(executed).toMatchObject(placeOf(spans.named('execute_tool lookup')));
      expect(lookup).toMatchObject(placeOf(spans.named('execute_tool lookup')));
      expect(odd).toMatchObject({ status: 'rejected', ...placeOf(spans.named('execute_tool odd')) });
      expect(items[0]).toMatchObject(placeOf(spans.named('invoke_agent (inline)')));
    } finally {
      await app.close();
    }
  });
});

it('a record that comes late names the span of its call, which has long ended', async () => {
  const [letGo, release] = promised<void>();
  const [running, started] = promised<void>();
  const [arrived, record] = promised<AuditEvent>();
  @Injectable()
  class Deaf {
    @Tool({ description: 'Ignores the signal', parameters: { type: 'object' } })
    async deaf() {
      started();
      await letGo;
    }
  }
  const late = { provide: LateRecord, useValue: new LateRecord(record) };
  const options = { runs: { grace: 1 }, audit: { loggers: [LateRecord] } };
  spans.register();
  const app = await boot({ providers: [Deaf, late], options, imports: [GatehouseTracingModule.forRoot()] });
  try {
    const { runId, outcome } = app.runner.start({ agent: scriptedExecutor([[call('deaf')]]), input: 'go' });
    await running;
    await app.runner.cancel(runId);
    await outcome;
    expect(spans.lines()[1]).toBe('execute_tool deaf < invoke_agent (inline) ! interrupted');
    release();
    expect(await arrived).toMatchObject({ toolName: 'deaf', ...placeOf(spans.named('execute_tool deaf')) });
  } finally {
    await app.close();
  }
});

class LateRecord implements AuditLogger {
  constructor(private readonly came: (event: AuditEvent) => void) {}

  record(event: AuditEvent): void {
    if (event.late) this.came(event);
  }
}

const promised = <T>(): [Promise<T>, (value: T) => void] => {
  let resolve: (value: T) => void = () => undefined;
  return [new Promise<T>((settle) => (resolve = settle)), (value) => resolve(value)];
};

it('an application with tracing of another kind puts its own ids into all records, and needs no spans of ours', async () => {
  const place = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
  class Elsewhere extends TraceContext {
    override current = () => place;
  }
  const app = await boot({ providers: [...providers, { provide: TraceContext, useClass: Elsewhere }] });
  try {
    const { handle } = await app.play(STORY, { inspectors: [refusing] });
    const { items } = await app.trail.terminals({ runId: handle.runId });
    const records = [...app.records.events, ...(await app.operations(handle.runId)), ...items];
    expect(records.map(({ traceId, spanId }) => ({ traceId, spanId }))).toEqual(Array(7).fill(place));
  } finally {
    await app.close();
  }
});

/** What the records of one story say, without what differs from run to run. */
const told = async (imports: Parameters<typeof boot>[0]['imports']) => {
  const app = await boot({ providers, imports });
  try {
    const { handle, outcome } = await app.play(STORY, { inspectors: [refusing] });
    const operations = await app.operations(handle.runId);
    return {
      outcome,
      executions: app.records.events.map(({ toolName, argumentsRepr, success, error, resultSize, late }) => [
        toolName,
        argumentsRepr,
        success,
        error,
        resultSize,
        late,
      ]),
      operations: operations.map(({ toolName, status, outcome: said, executionStarted, decidedBy, error }) => [
        toolName,
        status,
        said,
        executionStarted,
        decidedBy,
        error,
      ]),
      placed: [...operations, ...app.records.events].filter(({ traceId }) => traceId !== undefined).length,
    };
  } finally {
    await app.close();
  }
};

const broken = (): never => {
  throw new Error('the tracer is broken');
};
const breaking = <T extends object>(): T => new Proxy({}, { get: () => broken }) as T;
const failing: SpanExporter = { export: broken, shutdown: () => Promise.reject(new Error('gone')) };
const refused: SpanExporter = {
  export: (_, done) => done({ code: 1, error: new Error('no collector') }),
  shutdown: () => Promise.resolve(),
};
const provider = (tracer: object): TracerProvider => ({ getTracer: () => tracer }) as unknown as TracerProvider;
const contexts: ContextManager = {
  active: () => ROOT_CONTEXT,
  with: broken,
  bind: (_, target) => target,
  enable: () => contexts,
  disable: () => contexts,
};

describe('the records of a run are the same', () => {
  const tracing = [GatehouseTracingModule.forRoot({ content: 'inline' })];
  // 4 operations, 2 executions.
  const cases: readonly (readonly [string, () => unknown, number])[] = [
    ['without an SDK', () => undefined, 0],
    ['where every span is sampled out', () => spans.register({ sampler: new AlwaysOffSampler() }), 6],
    ['where the exporter throws', () => spans.register({ exporter: failing }), 6],
    ['where nobody takes what is exported', () => spans.register({ exporter: refused }), 6],
    ['where no tracer can be had', () => trace.setGlobalTracerProvider(breaking()), 0],
    ['where no span can be started', () => trace.setGlobalTracerProvider(provider({ startSpan: broken })), 0],
    ['where every word to a span throws', () => trace.setGlobalTracerProvider(provider({ startSpan: breaking })), 0],
    [
      'where no context can be entered',
      () => (spans.register(), context.disable(), context.setGlobalContextManager(contexts)),
      2,
    ],
  ];

  it.each(cases)('%s', async (_, arrange, placed) => {
    const untraced = await told([]);
    expect(untraced.placed).toBe(0);
    arrange();
    expect(await told(tracing)).toEqual({ ...untraced, placed });
  });
});

it('what breaks in a tracer is logged once, however often it does', async () => {
  trace.setGlobalTracerProvider(breaking());
  const app = await boot({ providers, imports: [GatehouseTracingModule.forRoot()] });
  const log = captureLog();
  try {
    await app.play(STORY, { inspectors: [refusing] });
    const lines = log.lines.filter(({ context: where }) => where === 'gatehouse.tracing');
    expect(lines).toEqual([
      {
        level: 'warn',
        context: 'gatehouse.tracing',
        message:
          'Tracing failed, and may go on failing without a word: Error: the tracer is broken. Runs and records are not affected.',
      },
    ]);
  } finally {
    log.release();
    await app.close();
  }
});
