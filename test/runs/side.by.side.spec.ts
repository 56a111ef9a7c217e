import { Injectable, type Type } from '@nestjs/common';
import { DestructiveTool, RunSuspended, Tool, type RunContext, type RunExecutor } from 'nest-gatehouse';

import { Gate } from '../e2e/support/gate.js';
import { ANN, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOn, STORES } from '../support/governed/stores.js';

const parameters = { type: 'object' } as const;

let app: GovernedApp;
let gate: Gate;
const ran: string[] = [];
beforeEach(() => {
  ran.length = 0;
  gate = new Gate();
});
afterEach(async () => {
  gate.open();
  await app.close();
});

@Injectable()
class Tools {
  @DestructiveTool({ description: 'Waits for a person', parameters })
  gated() {
    ran.push('gated');
    return 'paid';
  }

  @Tool({ description: 'Takes its time', parameters })
  async slow() {
    ran.push('slow begins');
    await gate.pass();
    ran.push('slow ends');
    return 'looked up';
  }

  @Tool({ description: 'Is there at once', parameters })
  fast() {
    ran.push('fast');
    return 'known';
  }
}

/** Starts an inline executor; after a suspension it returns what the response that waited came to. */
const start = (execute: (run: RunContext) => Promise<unknown>) => {
  const agent: RunExecutor = {
    execute: async (run) => ({
      value: run.resumed === undefined ? await execute(run) : run.resumed.map(({ content }) => content),
    }),
  };
  return app.runner.start({ agent, input: 'go', user: ANN });
};
const pending = async (runId: string) =>
  (await app.approvals.list({ runId })).items.filter(({ status }) => status === 'pending').map(({ id }) => id);
const approved = async (runId: string) => {
  const decisions = (await pending(runId)).map((approvalId) => ({ approvalId, approved: true as const }));
  return (await app.resumed(runId, decisions)).outcome;
};
const steps = async (runId: string) =>
  (await app.operations(runId)).map((one) => `${one.step} ${one.toolName} ${one.status}`);
const boots = async (kind: (typeof STORES)[number], providers: readonly Type[] = [Tools]) => {
  app = await bootOn(kind, { providers: [...providers] });
};

describe.each(STORES)('on %s, calls of one executor side by side', (kind) => {
  it('go one after the other, each with its records', async () => {
    await boots(kind);
    const { runId, outcome } = start((run) => Promise.all([run.call('slow'), run.call('fast'), run.callBatch([])]));
    await gate.reached();
    await new Promise(setImmediate);
    expect(ran).toEqual(['slow begins']);
    gate.open();
    expect(await outcome).toMatchObject({ status: 'completed', output: ['looked up', 'known', []] });
    expect(ran).toEqual(['slow begins', 'slow ends', 'fast']);
    expect(await steps(runId)).toEqual(['1 slow completed', '2 fast completed']);
    expect(app.records.lines()).toEqual(['slow ok', 'fast ok']);
  });

  it('what comes after a call that waits never starts, and the approved call runs once', async () => {
    await boots(kind);
    const { runId, outcome } = start((run) => Promise.all([run.call('gated'), run.call('slow')]));
    expect((await outcome).status).toBe('suspended');
    expect(ran).toEqual([]);
    expect(await approved(runId)).toMatchObject({ status: 'completed', output: ['paid'] });
    expect(ran).toEqual(['gated']);
    expect(await steps(runId)).toEqual(['1 gated completed']);
    expect(app.records.lines()).toEqual(['gated ok']);
  });

  it('what came before a call that waits is settled, and does not run again', async () => {
    await boots(kind);
    gate.open();
    const { runId, outcome } = start((run) => Promise.all([run.call('slow'), run.call('gated')]));
    expect((await outcome).status).toBe('suspended');
    expect(await approved(runId)).toMatchObject({ status: 'completed', output: ['paid'] });
    expect(ran).toEqual(['slow begins', 'slow ends', 'gated']);
    expect(await steps(runId)).toEqual(['1 slow completed', '2 gated completed']);
    expect(app.records.lines()).toEqual(['slow ok', 'gated ok']);
  });

  it('the run ends when a call has that its executor did not wait for', async () => {
    await boots(kind);
    const { runId, outcome } = start(async (run) => {
      void run.call('slow');
      await gate.reached();
      return 'early';
    });
    await gate.reached();
    gate.open();
    expect(await outcome).toMatchObject({ status: 'completed', output: 'early' });
    expect(ran).toEqual(['slow begins', 'slow ends']);
    expect(await steps(runId)).toEqual(['1 slow completed']);
  });

  it('a call that nobody waits for, and that needs a person, makes the run wait', async () => {
    await boots(kind);
    const { runId, outcome } = start((run) => {
      run.call('gated').catch(() => undefined);
      return Promise.resolve('early');
    });
    expect((await outcome).status).toBe('suspended');
    expect(await approved(runId)).toMatchObject({ status: 'completed', output: ['paid'] });
    expect(ran).toEqual(['gated']);
  });

  it('once the executor has returned, what has not begun does not begin', async () => {
    await boots(kind);
    let late: Promise<unknown> = Promise.resolve();
    const { runId, outcome } = start(async (run) => {
      void run.call('slow');
      late = run.call('fast').catch((error: unknown) => error);
      await gate.reached();
      return 'early';
    });
    await gate.reached();
    await new Promise(setImmediate);
    gate.open();
    expect(await outcome).toMatchObject({ status: 'completed', output: 'early' });
    expect(ran).toEqual(['slow begins', 'slow ends']);
    expect(await late).toEqual(
      new Error(
        `The executor of run ${runId} has returned, so nothing more starts. Await every call before returning.`,
      ),
    );
    expect(await steps(runId)).toEqual(['1 slow completed']);
  });
});

describe('inside a tool of the run', () => {
  it.each(['outer', 'deep'])('its context refuses to call, which would wait for ever (%s)', async (tool) => {
    let context: RunContext | undefined;
    @Injectable()
    class Nested {
      @Tool({ description: 'Calls through the context', parameters })
      async outer(): Promise<unknown> {
        return context?.call('fast').catch((error: unknown) => String(error));
      }

      @Tool({ description: 'Calls through ToolExecutor what calls through the context', parameters })
      async deep(): Promise<unknown> {
        return app.tools.call('outer');
      }
    }
    await boots('memory', [Tools, Nested]);
    const { runId, outcome } = start((run) => {
      context = run;
      return run.call(tool);
    });
    expect(await outcome).toMatchObject({
      status: 'completed',
      output:
        `Error: A tool of run ${runId} called a tool through the context of that run, which waits for the tool itself. ` +
        'Call through ToolExecutor inside a tool: that call is a run of its own.',
    });
    expect(ran).toEqual([]);
  });
});

describe('an executor that does not let a suspension pass', () => {
  it('has the grace of a cancelled one, then its run waits without it', async () => {
    await boots('memory');
    let thrown: unknown;
    const { runId, outcome } = start(async (run) => {
      thrown = await run.call('gated').catch((error: unknown) => error);
      return new Promise(() => undefined);
    });
    expect((await outcome).status).toBe('suspended');
    expect(thrown).toBeInstanceOf(RunSuspended);
    expect(await approved(runId)).toMatchObject({ status: 'completed', output: ['paid'] });
    expect(ran).toEqual(['gated']);
  });
});
