import { Injectable } from '@nestjs/common';
import {
  Decide,
  Inspector,
  RunAbortedError,
  RunCancelledError,
  Tool,
  ToolCall,
  type OperationInspector,
} from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { Gate } from '../e2e/support/gate.js';
import { ANN, boot, type GovernedApp } from '../support/governed/governed.app.js';

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

@Inspector()
class NoInner implements OperationInspector {
  inspectOperation({ toolName }: { readonly toolName: string }) {
    return toolName === 'refused' ? Decide.abort('not that') : Decide.accept();
  }
}

/** What the direct call inside a tool came to. */
let inside: Promise<unknown> = Promise.resolve();

@Injectable()
class Tools {
  @Tool({ description: 'Its inspector ends the run', parameters })
  refused() {
    ran.push('refused');
  }

  @Tool({ description: 'Runs', parameters })
  inner() {
    ran.push('inner');
    return 'inner';
  }

  @Tool({ description: 'Calls what is refused', parameters })
  outer() {
    inside = app.tools.call('refused').catch((error: unknown) => error);
    return app.tools.call('refused');
  }

  @Tool({ description: 'Calls once the gate opens', parameters })
  later(_: object, { signal }: ToolCall) {
    return this.afterwards(signal);
  }

  @Tool({ description: 'The same, overdue by then', parameters, timeout: 20 })
  overdue(_: object, { signal }: ToolCall) {
    return this.afterwards(signal);
  }

  private async afterwards(signal: AbortSignal) {
    inside = gate.pass().then(async () => {
      expect(signal.aborted).toBe(true);
      return app.tools.call('inner', {}, { signal: new AbortController().signal });
    });
    return inside;
  }
}

describe('a direct call inside a tool', () => {
  it('that is aborted ends its own run; to the run of the tool it is an ordinary failure', async () => {
    app = await boot({ providers: [Tools, NoInner] });
    const { handle, outcome } = await app.play([[call('outer', {})], [says('ok')]]);
    expect(outcome).toMatchObject({ status: 'completed', output: 'ok' });
    expect(await app.statuses(handle.runId)).toEqual(['outer failed']);
    const error = await inside;
    expect(error).toBeInstanceOf(RunAbortedError);
    expect((error as RunAbortedError).runId).not.toBe(handle.runId);
    expect((error as RunAbortedError).runId).toMatch(/^[0-9a-f-]{36}$/);
    expect(ran).toEqual([]);
  });

  it('with a signal of its own does not start once the run of the tool was cancelled', async () => {
    app = await boot({ providers: [Tools] });
    const agent = {
      execute: async (run: { call(name: string): Promise<unknown> }) => ({ value: await run.call('later') }),
    };
    const handle = app.runner.start({ agent, input: 'go', user: ANN });
    await gate.reached();
    void handle.cancel('enough');
    expect((await handle.outcome).status).toBe('cancelled');
    gate.open();
    await expect(inside).rejects.toBeInstanceOf(RunCancelledError);
    expect(ran).toEqual([]);
  });

  it('with a signal of its own does not start once the tool has timed out', async () => {
    app = await boot({ providers: [Tools] });
    const { outcome } = await app.play([[call('overdue', {})], [says('ok')]]);
    expect(outcome.status).toBe('completed');
    gate.open();
    await expect(inside).rejects.toMatchObject({ name: 'ToolTimeoutError' });
    expect(ran).toEqual([]);
  });
});
