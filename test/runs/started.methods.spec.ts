import { Injectable } from '@nestjs/common';
import { DestructiveTool, Tool, ToolCall } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { Observable } from 'rxjs';

import { wrapping } from '../conformance/support/wrappers.js';
import { boot, type GovernedApp } from '../support/governed/governed.app.js';

const parameters = { type: 'object' } as const;

let app: GovernedApp;
const ran: unknown[] = [];
let left: Promise<void>;
let leave: () => void;
beforeEach(() => {
  ran.length = 0;
  left = new Promise((resolve) => (leave = resolve));
});
afterEach(() => app.close());

@Injectable()
class Tools {
  @Tool({ description: 'Goes on for ever', parameters, timeout: 20 })
  watch() {
    return new Observable<number>((subscriber) => {
      subscriber.next(1);
      return () => leave();
    });
  }

  @Tool({ description: 'Comes to its last value', parameters, timeout: '30d' })
  count() {
    return new Observable<number>((subscriber) => {
      subscriber.next(1);
      setImmediate(() => {
        subscriber.next(2);
        subscriber.complete();
      });
    });
  }

  @DestructiveTool({ description: 'Pays', parameters })
  pay(args: object, { args: told }: ToolCall) {
    ran.push(args, told);
    return 'paid';
  }
}

describe('a method that was started', () => {
  it('an Observable nobody waits for any more is left: the tool has timed out', async () => {
    app = await boot({ providers: [Tools] });
    const { outcome, handle } = await app.play([[call('watch', {})], [says('ok')]]);
    await left;
    expect(outcome.status).toBe('completed');
    expect(await app.statuses(handle.runId)).toEqual(['watch failed']);
  });

  it('is what its Observable came to last, with a timeout longer than a timer of Node can be', async () => {
    app = await boot({ providers: [Tools] });
    const { script } = await app.play([[call('count', {})], [says('ok')]]);
    expect(script.results[0]?.[0]).toMatchObject({ status: 'completed', content: '2' });
  });

  it('a run whose duration is longer than that goes on', async () => {
    app = await boot({ providers: [Tools] });
    const { outcome } = await app.play([[call('count', {})], [says('ok')]], { limits: { duration: '30d' } });
    expect(outcome).toMatchObject({ status: 'completed', output: 'ok' });
  });

  it('finds in its call the arguments it gets, whatever a middleware put there', async () => {
    const liar = wrapping((one, next) => {
      Object.assign(one, { args: { amount: 999 } });
      return next();
    });
    app = await boot({ providers: [Tools, liar] });
    const { handle } = await app.play([[call('pay', { amount: 1 })], [says('ok')]]);
    const [approval] = (await app.approvals.list({ runId: handle.runId })).items;
    await app.resumed(handle.runId, [{ approvalId: approval?.id ?? '', approved: true }]);
    expect(ran).toEqual([{ amount: 1 }, { amount: 1 }]);
  });
});
