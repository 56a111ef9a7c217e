import { EventEmitter } from 'node:events';
import { EventPublishHook, HookRunner, type EventPublishOptions, type EventPublisher } from 'nest-gatehouse';
import { call, captureLog, says } from 'nest-gatehouse/testing';
import { boot } from '../support/governed/governed.app.js';
import { Bodies, OrderTools } from '../support/governed/order.tools.js';

const log = captureLog();
beforeEach(() => void (log.lines.length = 0));
afterAll(() => log.release());

type Told = readonly [string, Readonly<Record<string, unknown>>];

/** Any object with `emit`. */
class Bus implements EventPublisher {
  readonly told: Told[] = [];

  emit(event: string, data: unknown): void {
    this.told.push([event, data as Readonly<Record<string, unknown>>]);
  }
}

const onBus = (options?: EventPublishOptions) => {
  const bus = new Bus();
  return { bus, runner: new HookRunner([new EventPublishHook(bus, options)]) };
};

describe('EventPublishHook', () => {
  it('[318] tells a call before, after with its rounded duration, and its error by type and message', async () => {
    const { bus, runner } = onBus();
    await runner.runBefore('lookup', { n: 1 }, {});
    await runner.runAfter('lookup', { n: 1 }, 'found', {}, 42.5678);
    await runner.runError('lookup', { n: 1 }, new RangeError('kaboom'), {});
    expect(bus.told).toEqual([
      ['tool.before', { toolName: 'lookup', args: { n: 1 } }],
      ['tool.after', { toolName: 'lookup', durationMs: 42.57, resultPreview: 'found', resultLength: 5 }],
      ['tool.error', { toolName: 'lookup', errorType: 'RangeError', errorMessage: 'kaboom' }],
    ]);
  });

  it('[318] a result that is no text is shown as its JSON, with the length of it', async () => {
    const { bus, runner } = onBus();
    await runner.runAfter('lookup', {}, { order: 7, token: 'hunter2' }, {}, 1);
    await runner.runAfter('lookup', {}, undefined, {}, 1);
    expect(bus.told.map(([, data]) => [data['resultPreview'], data['resultLength']])).toEqual([
      ['{"order":7,"token":"[redacted]"}', 29],
      ['', 0],
    ]);
  });

  it('[319] a long result is cut to its preview and three dots, and its whole length is told', async () => {
    const { bus, runner } = onBus({ previewLength: 32 });
    await runner.runAfter('lookup', {}, 'x'.repeat(1000), {}, 1);
    expect(bus.told[0]?.[1]).toEqual({
      toolName: 'lookup',
      durationMs: 1,
      resultPreview: `${'x'.repeat(32)}...`,
      resultLength: 1000,
    });
  });

  it('[320] a long argument is cut at 120 characters and three dots; nested ones are JSON; secrets are hidden', async () => {
    const { bus, runner } = onBus({ redaction: { valuePatterns: [/\b\d{16}\b/] } });
    const args = {
      note: 'x'.repeat(500),
      nested: { list: [1, 'two'] },
      n: 1,
      password: 'hunter2',
      card: '4111111111111111',
    };
    await runner.runBefore('lookup', args, {});
    expect(bus.told[0]?.[1]['args']).toEqual({
      note: `${'x'.repeat(120)}...`,
      nested: '{"list":[1,"two"]}',
      n: 1,
      password: '[redacted]',
      card: '[redacted]',
    });
    expect((bus.told[0]?.[1]['args'] as { note: string }).note).toHaveLength(123);
  });

  it('[321] session and project of the state are told; a state without them is no error', async () => {
    const { bus, runner } = onBus();
    for (const state of [{ sessionId: 's1', projectId: 'p1', other: 1 }, { sessionId: '' }, undefined, 'text']) {
      await runner.runBefore('lookup', {}, state);
    }
    expect(bus.told.map(([, data]) => data)).toEqual([
      { toolName: 'lookup', args: {}, sessionId: 's1', projectId: 'p1' },
      ...Array.from({ length: 3 }, () => ({ toolName: 'lookup', args: {} })),
    ]);
    expect(log.lines).toEqual([]);
  });

  it('[322] a listener that throws, or rejects, costs neither the other listeners nor the tool', async () => {
    const emitter = new EventEmitter();
    const heard: string[] = [];
    emitter.on('tool.before', () => {
      throw new Error('deaf');
    });
    const rejecting: () => unknown = () => Promise.reject(new Error('deaf too'));
    emitter.on('tool.before', rejecting);
    emitter.once('tool.before', ({ toolName }: { toolName: string }) => void heard.push(toolName));
    const runner = new HookRunner([new EventPublishHook(emitter)]);
    expect(await runner.runBefore('first', {}, {})).toEqual({ kind: 'continue' });
    await runner.runBefore('second', {}, {});
    expect(heard).toEqual(['first']);
    const warned = log.lines.map(({ level, message }) => `${level} ${message}`);
    expect(warned.toSorted()).toEqual([
      'warn A listener of tool.before failed: Error: deaf too.',
      'warn A listener of tool.before failed: Error: deaf too.',
      'warn A listener of tool.before failed: Error: deaf.',
      'warn A listener of tool.before failed: Error: deaf.',
    ]);
  });

  it('[322] an emitter of another make that throws costs nothing either', async () => {
    const broken: EventPublisher = {
      emit: () => {
        throw new Error('no wire');
      },
    };
    const { bus } = onBus();
    const runner = new HookRunner([new EventPublishHook(broken), new EventPublishHook(bus)]);
    expect(await runner.runBefore('lookup', {}, {})).toEqual({ kind: 'continue' });
    expect(bus.told).toHaveLength(1);
    expect(log.lines.map(({ message }) => message)).toEqual(['A listener of tool.before failed: Error: no wire.']);
  });
});

describe('EventPublishHook in a run', () => {
  it('[318] [322] is found as a provider, names run and operation, and a throwing listener changes nothing', async () => {
    const emitter = new EventEmitter();
    const told: Told[] = [];
    for (const name of ['tool.before', 'tool.after', 'tool.error']) {
      emitter.on(name, () => {
        throw new Error('deaf');
      });
      emitter.on(name, (data: Told[1]) => void told.push([name, data]));
    }
    const events = { provide: EventPublishHook, useFactory: () => new EventPublishHook(emitter) };
    const app = await boot({ providers: [Bodies, OrderTools, events] });
    const { handle, script } = await app.play([[call('lookup', { order: 7 }), call('broken')], [says('ok')]]);
    const [looked, broken] = script.results[0] ?? [];
    const ids = { runId: handle.runId, threadId: handle.threadId };
    expect(told).toEqual([
      ['tool.before', { toolName: 'lookup', ...ids, operationId: looked?.operationId, args: { order: 7 } }],
      [
        'tool.after',
        {
          toolName: 'lookup',
          ...ids,
          operationId: looked?.operationId,
          durationMs: expect.any(Number),
          resultPreview: '{"order":7,"status":"shipped"}',
          resultLength: 30,
        },
      ],
      ['tool.before', { toolName: 'broken', ...ids, operationId: broken?.operationId, args: {} }],
      [
        'tool.error',
        {
          toolName: 'broken',
          ...ids,
          operationId: broken?.operationId,
          errorType: 'QueryFailedError',
          errorMessage: 'connect ECONNREFUSED postgres://desk:hunter2@10.0.0.1/desk',
        },
      ],
    ]);
    expect(await app.statuses(handle.runId)).toEqual(['lookup completed', 'broken failed']);
    await app.close();
  });
});
