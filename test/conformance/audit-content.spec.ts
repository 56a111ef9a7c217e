import { Injectable, Module } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { Tool, ToolFailedError, ToolRegistry, ToolRetryError, type AuditEvent } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { moods, MoodyTools } from './support/hostile.tools.js';
import { staged, toolLines, type StagedApp } from './support/staged.app.js';
import { Stage, ValueError, type Body } from './support/staged.tools.js';

let app: StagedApp;
afterEach(() => app.close());

const playOnce = (name: string, args: unknown = { n: 0 }) => app.play([[call(name, args, 'c1')], [says('done')]]);

describe('an execution record', () => {
  it('[103] of a success holds tool, arguments, no error and the size of the result', async () => {
    app = await staged();
    await playOnce('lookup');
    expect(toolLines(app)).toEqual([['lookup', '{"n":0}', true, null, 5]]);
  });

  it('[104] sorts the keys of the arguments', async () => {
    @Injectable()
    class Sums {
      @Tool({ description: 'Sum', parameters: { type: 'object', additionalProperties: { type: 'integer' } } })
      sum({ a, b }: { a: number; b: number }) {
        return a + b;
      }
    }
    app = await staged({}, { providers: [Sums] });
    await playOnce('sum', { b: 1, a: 2 });
    expect(toolLines(app)).toEqual([['sum', '{"a":2,"b":1}', true, null, 1]]);
  });

  it('[105] of a call without arguments says {}', async () => {
    app = await staged();
    await playOnce('lookup', '');
    expect(toolLines(app)).toEqual([['lookup', '{}', true, null, 5]]);
  });

  it('[106] is made for a tool of a source that joined later as for any other', async () => {
    @Injectable()
    class Late {
      @Tool('Comes later')
      late() {
        return 'found late';
      }
    }
    @Module({ providers: [Late] })
    class LateModule {}
    app = await staged();
    await app.module.get(LazyModuleLoader).load(() => LateModule);
    const registry = app.module.get(ToolRegistry);
    registry.refresh();
    registry.register({
      namespace: 'crm',
      tools: [{ name: 'find', parameters: { type: 'object' }, annotations: { readOnlyHint: true } }],
      call: (name, args) => Promise.resolve(`${name} ${JSON.stringify(args)}`),
    });
    await playOnce('late', {});
    const held = await app.play([[call('crm_find', { who: 'ann' }, 'c1')], [says('done')]]);
    const [approval] = (await app.approvals.list({ runId: held.handle.runId })).items;
    await app.resumed(held.handle.runId, [{ approvalId: approval?.id ?? '', approved: true }]);
    expect(toolLines(app)).toEqual([
      ['late', '{}', true, null, 10],
      ['crm_find', '{"who":"ann"}', true, null, 'find {"who":"ann"}'.length],
    ]);
  });

  it('[107] of a failure names class and message, has no size, and with the policy off the run ends with that very error', async () => {
    const error = new ValueError('kaboom');
    app = await staged(
      {
        boom: () => {
          throw error;
        },
      },
      { options: { failure: { enabled: false } } },
    );
    const { outcome } = await playOnce('boom');
    expect(toolLines(app)).toEqual([['boom', '{"n":0}', false, 'ValueError: kaboom', null]]);
    expect(outcome).toEqual({ status: 'failed', stage: 'executor', error });
    expect(outcome.status === 'failed' && outcome.error).toBe(error);
  });

  it('[108] of a failure is the same with the policy on, and the model never reads the message', async () => {
    app = await staged();
    const { script, outcome } = await playOnce('boom');
    expect(toolLines(app)).toEqual([['boom', '{"n":0}', false, 'ValueError: kaboom', null]]);
    expect(outcome.status).toBe('completed');
    expect(script.results[0]).toMatchObject([{ outcome: 'failed' }]);
    expect(script.results[0]?.[0]?.content).not.toContain('kaboom');
  });
});

const throwing =
  (make: () => Error): Body =>
  () => {
    throw make();
  };

describe('the error of a record', () => {
  it('[109] is the one thrown, not its cause', async () => {
    app = await staged({ boom: throwing(() => new ValueError('outer', { cause: new RangeError('inner') })) });
    await playOnce('boom');
    expect(toolLines(app)).toEqual([['boom', '{"n":0}', false, 'ValueError: outer', null]]);
  });

  it("[110] of the tool's own failed result keeps its words, and the policy has nothing to say", async () => {
    app = await staged({
      boom: throwing(() => new ToolFailedError('model copy', { cause: new ValueError('kaboom') })),
    });
    const { script } = await playOnce('boom');
    expect(toolLines(app)).toEqual([['boom', '{"n":0}', false, 'ToolFailedError: model copy', null]]);
    expect(script.results[0]).toMatchObject([{ outcome: 'failed', content: 'model copy' }]);
    expect(app.logged('gatehouse.failure')).toEqual([]);
  });

  it('[111] keeps the message of the failed result where its cause has none', async () => {
    app = await staged({
      boom: throwing(() => new ToolFailedError('timed out after 30 s', { cause: new Error('') })),
    });
    await playOnce('boom');
    expect(toolLines(app)).toEqual([['boom', '{"n":0}', false, 'ToolFailedError: timed out after 30 s', null]]);
  });

  it('[112] is never the one that was being handled when it was thrown', async () => {
    app = await staged({
      boom: () => {
        try {
          throw new ValueError('context');
        } catch {
          throw new ToolFailedError('own words');
        }
      },
    });
    await playOnce('boom');
    expect(toolLines(app)).toEqual([['boom', '{"n":0}', false, 'ToolFailedError: own words', null]]);
  });

  it('[116] of a retry signal stands beside the record of the attempt that followed', async () => {
    app = await staged({
      lookup: ({ n = 0 }) => {
        if (n > 0) return 'found';
        throw new ToolRetryError('n must be positive');
      },
    });
    await app.play([[call('lookup', { n: 0 })], [call('lookup', { n: 1 })], [says('done')]]);
    expect(toolLines(app)).toEqual([
      ['lookup', '{"n":0}', false, 'ToolRetryError: n must be positive', null],
      ['lookup', '{"n":1}', true, null, 5],
    ]);
  });

  it('[117] of a retry signal past its budget says so, and the signal is its cause', async () => {
    const signal = new ToolRetryError('again');
    app = await staged({ once: throwing(() => signal) });
    const { script } = await playOnce('once');
    const error = "RetryBudgetExceededError: Tool 'once' exceeded max retries count of 0";
    expect(toolLines(app)).toEqual([['once', '{"n":0}', false, error, null]]);
    const thrown = script.results[0]?.[0]?.error;
    expect(thrown instanceof Error && thrown.cause).toBe(signal);
  });
});

describe('what no record may depend on', () => {
  const fallback = (event?: AuditEvent) => [
    event?.ipAddress,
    event?.organizationId,
    event?.targetType,
    event?.targetId,
  ];

  it('[126] two runs of one agent each have the address of their own caller', async () => {
    app = await staged();
    for (const ipAddress of ['203.0.113.9', '198.51.100.4']) {
      await app.play([[call('lookup', { n: 0 })], [says('done')]], { ipAddress });
    }
    expect(app.records.events.map(({ ipAddress }) => ipAddress)).toEqual(['203.0.113.9', '198.51.100.4']);
  });

  it('[127] a run without an address gets the configured one, and nobody need be known', async () => {
    app = await staged({}, { options: { audit: { defaults: { ipAddress: '10.0.0.7' } } } });
    const { outcome } = await app.play([[call('lookup', { n: 0 })], [says('done')]], { user: undefined });
    expect(outcome.status).toBe('completed');
    expect(fallback(app.records.events[0])).toEqual(['10.0.0.7', null, null, null]);
  });

  it('[128] the configured organization fills a gap; without one organization and target are null', async () => {
    app = await staged({}, { options: { audit: { defaults: { organizationId: 'acme' } } } });
    await app.play([[call('lookup', { n: 0 })], [says('done')]], { user: { id: 'eve' } });
    expect(fallback(app.records.events[0])).toEqual([null, 'acme', null, null]);
    await app.close();
    app = await staged();
    await app.play([[call('lookup', { n: 0 })], [says('done')]], { user: { id: 'eve' } });
    expect(fallback(app.records.events[0])).toEqual([null, null, null, null]);
  });

  it('[129] a record is frozen', async () => {
    app = await staged();
    await playOnce('lookup');
    const [event] = app.records.events;
    expect(Object.isFrozen(event)).toBe(true);
    expect(() => Object.assign(event ?? {}, { success: false })).toThrow(TypeError);
    expect(event?.success).toBe(true);
  });

  it('[130] arguments that cannot be written down any more leave a placeholder, and the run is not affected', async () => {
    app = await staged({}, { providers: [MoodyTools] });
    Object.assign(moods, { patience: Infinity, reads: 0 });
    await playOnce('mood', { text: 'fine' });
    Object.assign(moods, { patience: moods.reads - 1, reads: 0 });
    const { outcome, script } = await playOnce('mood', { text: 'fine' });
    expect(outcome.status).toBe('completed');
    expect(script.results[0]).toMatchObject([{ outcome: 'success', content: 'mood' }]);
    expect(toolLines(app)).toEqual([
      ['mood', '{"text":"fine"}', true, null, 4],
      ['mood', '{"text":"[unreadable]"}', true, null, 4],
    ]);
  });
});

it('arguments are recorded as the method received them, whatever it then does to them', async () => {
  app = await staged({
    lookup: (args) => {
      args.n = 9;
      return 'found';
    },
  });
  await playOnce('lookup');
  expect(toolLines(app)).toEqual([['lookup', '{"n":0}', true, null, 5]]);
  expect(app.module.get(Stage).ran).toEqual(['lookup {"n":0}']);
});
