import {
  Injectable,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { from, switchMap, type Observable } from 'rxjs';
import {
  AgentRunner,
  ApprovalRequired,
  CallDeferred,
  NullAuditLogger,
  RunStillWaitingError,
  SkipToolExecution,
  Tool,
  ToolCall,
  ToolFailedError,
  ToolRetryError,
} from 'nest-gatehouse';
import { call, says, scriptedExecutor } from 'nest-gatehouse/testing';
import { ANN, KeptRecords } from '../support/governed/governed.app.js';
import { collected } from './support/garbage.js';
import { answerAll, gate, readings } from './support/conversations.js';
import { playWrapped, PLACES, recordLine, staged, toolLines, type StagedApp } from './support/staged.app.js';
import { wrapping } from './support/wrappers.js';

let app: StagedApp;
afterEach(() => app.close());

const ONCE = [[call('lookup', { n: 0 }, 'c1')], [says('done')]] as const;

/** A tool whose method runs a run of its own. */
@Injectable()
class Delegates {
  constructor(private readonly runner: AgentRunner) {}

  @Tool('Has others look')
  async delegate() {
    const script = scriptedExecutor([[call('lookup', { n: 1 }), call('boom', { n: 1 })], [says('looked')]]);
    return this.runner.start({ agent: script, input: 'look' }).result();
  }
}

describe('each start of a method has its own record', () => {
  it('[134] nothing stands between the core and the method: not the innermost middleware, not an interceptor', async () => {
    class Louder implements NestInterceptor {
      intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
        return next.handle().pipe(switchMap((found) => from([`${String(found)}, loudly`])));
      }
    }
    @Injectable()
    class Quiet {
      @Tool('Whispers')
      @UseInterceptors(Louder)
      whisper() {
        return 'found';
      }
    }
    const around = (name: string) => async (_call: ToolCall, next: () => Promise<unknown>) =>
      `${String(await next())}, ${name}`;
    const options = { position: 'innermost' } as const;
    app = await staged({}, { providers: [Louder, Quiet, wrapping(around('module'), options, 'OfModule')] });
    const told = await app.play([[call('whisper')], [says('done')]], {
      middleware: [new (wrapping(around('run'), options, 'OfRun'))()],
    });
    expect(readings(told)).toEqual([['success', 'found, loudly, run, module']]);
    expect(toolLines(app)).toEqual([['whisper', '{}', true, null, 5]]);
  });

  it.each(PLACES)('[143] middleware that runs a failed method again: one record for each run, %s', async (place) => {
    let starts = 0;
    const told = await playWrapped(place, (_call, next) => next().catch(() => next()), {
      bodies: {
        lookup: () => {
          starts += 1;
          if (starts === 1) throw new Error('busy');
          return 'found';
        },
      },
    });
    ({ app } = told);
    expect(toolLines(app)).toEqual([
      ['lookup', '{"n":0}', false, 'Error: busy', null],
      ['lookup', '{"n":0}', true, null, 5],
    ]);
    expect(app.records.events.map(({ operationId }) => operationId)).toEqual(
      Array.from({ length: 2 }, () => told.script.results[0]?.[0]?.operationId),
    );
  });

  it('[144] a rerun that middleware further in refuses: only the run that happened is recorded', async () => {
    let passed = 0;
    const rerunning = wrapping((_call, next) => next().catch(() => next()), { position: 'outermost' }, 'Rerunning');
    const once = wrapping(
      (_call, next) => {
        passed += 1;
        return passed === 1 ? next() : Promise.reject(new SkipToolExecution('once is enough'));
      },
      {},
      'Once',
    );
    app = await staged({}, { providers: [rerunning, once] });
    const told = await app.play([[call('boom', { n: 0 })], [says('done')]]);
    expect(readings(told)).toEqual([['denied', 'once is enough']]);
    expect(toolLines(app)).toEqual([['boom', '{"n":0}', false, 'ValueError: kaboom', null]]);
  });

  it('[145] a run inside a tool: the inner record first, then the outer, none for what was vetoed', async () => {
    const veto = wrapping((call, next) =>
      call.toolName === 'boom' ? Promise.reject(new SkipToolExecution('no')) : next(),
    );
    app = await staged({}, { providers: [Delegates, veto] });
    await app.play([[call('delegate')], [says('done')]]);
    expect(toolLines(app)).toEqual([
      ['lookup', '{"n":1}', true, null, 5],
      ['delegate', '{}', true, null, 6],
    ]);
  });

  it('[146] an inner call that is asked again and then allowed has exactly one inner record', async () => {
    let asked = false;
    const asking = wrapping((call, next) => {
      if (call.toolName !== 'lookup' || asked) return next();
      asked = true;
      return Promise.reject(new ToolRetryError('once more'));
    });
    @Injectable()
    class Asked {
      constructor(private readonly runner: AgentRunner) {}

      @Tool('Has others look twice')
      async delegate() {
        const script = scriptedExecutor([[call('lookup', { n: 1 })], [call('lookup', { n: 2 })], [says('looked')]]);
        return this.runner.start({ agent: script, input: 'look' }).result();
      }
    }
    app = await staged({}, { providers: [Asked, asking] });
    await app.play([[call('delegate')], [says('done')]]);
    expect(toolLines(app)).toEqual([
      ['lookup', '{"n":2}', true, null, 5],
      ['delegate', '{}', true, null, 6],
    ]);
  });

  it('[147] two loggers each hold the same one record', async () => {
    class Second extends KeptRecords {}
    app = await staged({}, { providers: [Second], options: { audit: { loggers: [KeptRecords, Second] } } });
    await app.play(ONCE);
    expect(app.records.events.map(recordLine)).toEqual([['lookup', '{"n":0}', true, null, 5]]);
    expect(app.module.get(Second).events).toEqual(app.records.events);
    expect(app.module.get(Second).events[0]).toBe(app.records.events[0]);
  });
});

describe('records are never crossed', () => {
  it('[148] by two calls of one response that overlap', async () => {
    const first = gate();
    const second = gate();
    app = await staged({
      lookup: async () => {
        first.open();
        await second.opened;
        return 'ten chars!';
      },
      boom: async () => {
        await first.opened;
        second.open();
        throw new Error('no luck');
      },
    });
    await app.play([[call('lookup', { n: 1 }), call('boom', { n: 2 })], [says('done')]]);
    expect(toolLines(app).toSorted()).toEqual([
      ['boom', '{"n":2}', false, 'Error: no luck', null],
      ['lookup', '{"n":1}', true, null, 10],
    ]);
  });

  it('[149] by two runs that overlap and use the same tool call id', async () => {
    const [inner, outer] = [gate(), gate()];
    app = await staged({
      lookup: async (_args, { ipAddress }) => {
        if (ipAddress === '203.0.113.9') {
          inner.open();
          await outer.opened;
          return 'long and well';
        }
        await inner.opened;
        outer.open();
        throw new Error('short');
      },
    });
    const [one, other] = await Promise.all(
      ['203.0.113.9', '198.51.100.4'].map((ipAddress) => app.play(ONCE, { ipAddress })),
    );
    const facts = app.records.events.map(({ runId, ipAddress, error, resultSize }) => [
      runId,
      ipAddress,
      error,
      resultSize,
    ]);
    expect(facts).toHaveLength(2);
    expect(facts).toEqual(
      expect.arrayContaining([
        [one?.handle.runId, '203.0.113.9', null, 13],
        [other?.handle.runId, '198.51.100.4', 'Error: short', null],
      ]),
    );
  });

  it('[150] nothing of a call stays in memory once its run is over, whatever became of it', async () => {
    const calls: WeakRef<ToolCall>[] = [];
    app = await staged({
      lookup: ({ n }, call) => {
        calls.push(new WeakRef(call));
        if (n === 1) throw new SkipToolExecution('no');
        if (n === 2) throw new CallDeferred();
        if (n === 3) throw new ToolFailedError('closed');
        if (n === 4 && call.approval === undefined) throw new ApprovalRequired();
        return 'found';
      },
      boom: (_args, call) => {
        calls.push(new WeakRef(call));
        throw new Error('no luck');
      },
    });
    for (let round = 0; round < 5; round += 1) {
      const proposed = [0, 1, 2, 3, 4].map((n) => call('lookup', { n }, `c${n}`));
      const { handle } = await app.play([[...proposed, call('boom', { n: 0 })], [says('done')]]);
      const { runId } = handle;
      const given = app.runner.resume({ runId, user: ANN, results: [{ toolCallId: 'c2', value: 'elsewhere' }] });
      await expect(given.started).rejects.toThrow(RunStillWaitingError);
      const { outcome } = await answerAll(app, handle.runId, round % 2 === 0);
      expect(outcome.status).toBe('completed');
    }
    expect(calls).toHaveLength(5 * 6 + 3);
    await collected();
    expect(calls.filter((each) => each.deref() !== undefined)).toEqual([]);
  });

  it('[151] nothing is made for a logger that records nothing', async () => {
    let asked = 0;
    @Injectable()
    class Targets {
      @Tool({
        description: 'Has a target',
        target: () => {
          asked += 1;
          return { type: 'order', id: '1' };
        },
      })
      aim() {
        return 'found';
      }
    }
    app = await staged({}, { providers: [Targets], options: { audit: { loggers: [NullAuditLogger] } } });
    expect(readings(await app.play([[call('aim')], [says('done')]]))).toEqual([['success', 'found']]);
    expect(asked).toBe(0);
    await app.close();
    app = await staged({}, { providers: [Targets] });
    await app.play([[call('aim')], [says('done')]]);
    expect(asked).toBe(1);
  });
});
