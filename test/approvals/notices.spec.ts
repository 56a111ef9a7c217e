import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, type Provider } from '@nestjs/common';
import {
  ApprovalNotifier,
  isWebhookSignature,
  WebhookNotifier,
  type ApprovalListener,
  type ApprovalNotice,
} from 'nest-gatehouse';
import { call } from 'nest-gatehouse/testing';

import { ANN, type GovernedApp } from '../support/governed/governed.app.js';
import { Bodies, DeskAgent, OrderTools } from '../support/governed/order.tools.js';
import { bootOnUrl, bootOn, migratedTemplate, STORES } from '../support/governed/stores.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { sqlOn } from '../conformance/support/sql.js';

const SECRET = 'sixteen characters at least';

/** What a receiver was sent. */
interface Received {
  readonly event: string;
  readonly body: string;
  readonly signature: string;
}

/** A receiver of webhooks on this machine: answers with `answers` in turn, then 200; `hang` never answers. */
class Receiver {
  readonly got: Received[] = [];
  answers: (number | 'hang' | 'redirect')[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      void this.take(request).then((answer) => {
        if (answer === 'hang') return;
        if (answer === 'redirect') response.setHeader('location', `${this.url}/elsewhere`);
        response.statusCode = answer === 'redirect' ? 307 : answer;
        response.end('thanks');
      });
    });
  }

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get lines(): string[] {
    return this.got.map(({ body }) => {
      const { kind, approval } = JSON.parse(body) as ApprovalNotice;
      return `${kind} ${approval.toolName}`;
    });
  }

  async until(count: number): Promise<void> {
    const signal = AbortSignal.timeout(15_000);
    while (this.got.length < count) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async take(request: IncomingMessage): Promise<number | 'hang' | 'redirect'> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { 'gatehouse-event': event, 'gatehouse-signature': signature } = request.headers;
    this.got.push({ body, event: String(event), signature: String(signature) });
    return this.answers.shift() ?? 200;
  }
}

let receiver: Receiver;
const apps: GovernedApp[] = [];
beforeEach(async () => {
  receiver = await new Receiver().open();
});
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
  await receiver.close();
});

const hook = (timeout = '10s'): Provider => ({
  provide: 'hook',
  useFactory: () => new WebhookNotifier({ url: receiver.url, secret: SECRET, timeout: timeout }),
});
const providers = [Bodies, OrderTools, DeskAgent];
// A quarter of the lease is how often notices are looked for.
const runs = { grace: 50, lease: '2s' } as const;
const ask = async (app: GovernedApp) => (await app.play([], { agent: 'desk', user: ANN })).handle.runId;
const answer = async (app: GovernedApp, runId: string, approved = true) => {
  const [approval] = (await app.approvals.list({ runId })).items;
  return app.approvals.decide(approval?.id ?? '', { approved, by: ANN });
};

describe.each(STORES)('a notifier, in %s', (store) => {
  it('is told what waits and what was decided, signed, with an id of its own for each', async () => {
    const app = await bootOn(store, { providers: [...providers, hook()], options: { runs } });
    apps.push(app);
    const runId = await ask(app);
    await receiver.until(1);
    const { id = '' } = await answer(app, runId);
    await receiver.until(2);
    expect(receiver.lines).toEqual(['approval.requested refund', 'approval.decided refund']);
    const [requested, decided] = receiver.got;
    expect(new Set(receiver.got.map(({ event }) => event)).size).toBe(2);
    expect(JSON.parse(requested?.body ?? '')).toMatchObject({
      id: requested?.event,
      approval: { id, args: { order: 7, amount: 25 }, summary: 'Refund 25 of order 7', requestedBy: 'ann' },
    });
    expect(JSON.parse(decided?.body ?? '')).toMatchObject({ approval: { id, decidedBy: ['ann'] } });
    for (const { body, signature } of receiver.got) {
      expect(isWebhookSignature(body, signature, SECRET)).toBe(true);
      expect(isWebhookSignature(`${body} `, signature, SECRET)).toBe(false);
    }
  });

  it('is told again after a 500, a redirect and silence, by the same id; the run knows nothing of it', async () => {
    receiver.answers = [500, 'redirect', 'hang'];
    const app = await bootOn(store, { providers: [...providers, hook('300ms')], options: { runs } });
    apps.push(app);
    const runId = await ask(app);
    await receiver.until(1);
    expect((await app.runner.resume({ runId, user: ANN, decisions: [await wordOn(app, runId)] }).outcome).status).toBe(
      'completed',
    );
    await receiver.until(5);
    const [first] = receiver.got;
    const sameEvent = receiver.got.filter(({ event }) => event === first?.event);
    expect(sameEvent.length).toBeGreaterThan(1);
    expect(new Set(receiver.lines)).toEqual(new Set(['approval.requested refund', 'approval.decided refund']));
  }, 30_000);

  it('that throws costs no run, and not the notifiers beside it', async () => {
    @ApprovalNotifier()
    @Injectable()
    class Broken implements ApprovalListener {
      approvalRequested(): never {
        throw new Error('no route to the pager');
      }
    }
    const app = await bootOn(store, { providers: [...providers, hook(), Broken], options: { runs } });
    apps.push(app);
    const { outcome } = await app.play([[call('refund', { order: 7, amount: 25 })]]);
    expect(outcome.status).toBe('suspended');
    await receiver.until(1);
    expect(receiver.lines).toEqual(['approval.requested refund']);
  });
});

const wordOn = async (app: GovernedApp, runId: string) => {
  const [approval] = (await app.approvals.list({ runId })).items;
  return { approvalId: approval?.id ?? '', approved: true };
};

describe('notifiers on Postgres', () => {
  let database: FreshDatabase;
  beforeEach(async () => {
    database = await freshDatabase(await migratedTemplate());
  });
  afterEach(async () => {
    for (const app of apps.splice(0)) await app.close();
    await database.drop();
  });
  const boot = async (more: readonly Provider[]) => {
    const app = await bootOnUrl(database.url, { providers: [...providers, ...more], options: { runs } });
    apps.push(app);
    return app;
  };
  const settled = async (count: number): Promise<void> => {
    const signal = AbortSignal.timeout(15_000);
    const open = `SELECT FROM gatehouse.approval_notice WHERE settled_at IS NOT NULL`;
    while ((await sqlOn(database.url, open)).length < count) {
      signal.throwIfAborted();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('two replicas tell each event once', async () => {
    const [one, two] = [await boot([hook()]), await boot([hook()])];
    const ids = await Promise.all([one, two, one, two, one, two].map((app) => ask(app)));
    for (const runId of ids) await answer(one, runId, false);
    await settled(12);
    expect(receiver.got).toHaveLength(12);
    expect(new Set(receiver.got.map(({ event }) => event)).size).toBe(12);
  }, 30_000);

  it('what happened while nobody could be told is told after a restart', async () => {
    const before = await boot([hook()]);
    receiver.answers = [503];
    await ask(before);
    await receiver.until(1);
    await apps.pop()?.close();
    const meanwhile = await boot([]);
    await ask(meanwhile);
    await apps.pop()?.close();
    await boot([hook()]);
    await settled(2);
    expect(new Set(receiver.got.map(({ event }) => event)).size).toBe(2);
    expect(receiver.got).toHaveLength(3);
  }, 30_000);

  it('a new notifier is told nothing of what was before it', async () => {
    const before = await boot([]);
    await ask(before);
    await apps.pop()?.close();
    const after = await boot([hook()]);
    await ask(after);
    await settled(1);
    expect(receiver.got).toHaveLength(1);
    expect(await sqlOn(database.url, 'SELECT FROM gatehouse.approval_notice')).toHaveLength(1);
  });
});

describe('notifiers at boot', () => {
  it('two of one name are refused', async () => {
    const second = { provide: 'second', useFactory: () => new WebhookNotifier({ url: receiver.url, secret: SECRET }) };
    await expect(bootOn('memory', { providers: [...providers, hook(), second] })).rejects.toThrow(
      "Two notifiers are named 'WebhookNotifier'",
    );
  });

  it.each([
    [{ url: 'http://chat.example/hook', secret: SECRET }, "The webhook to 'chat.example' must use https"],
    [{ url: 'https://me:pass@chat.example/', secret: SECRET }, 'must not carry a name or a password'],
    [{ url: 'ftp://127.0.0.1/', secret: SECRET }, 'must use https'],
    [{ url: '', secret: SECRET }, 'must be an absolute one'],
    [{ url: 'https://chat.example/', secret: '' }, 'must have at least 16 characters'],
  ])('a webhook of %j is refused', (options, problem) => {
    expect(() => new WebhookNotifier(options)).toThrow(problem);
  });

  it('plain http is for this machine, and for hosts that are listed', () => {
    const plain = { url: 'http://chat.internal/', secret: SECRET, plainHttp: ['chat.internal'] };
    expect(() => new WebhookNotifier(plain)).not.toThrow();
    expect(() => new WebhookNotifier({ ...plain, url: 'http://[::1]:9/' })).not.toThrow();
  });
});
