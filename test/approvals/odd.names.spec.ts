import { Injectable } from '@nestjs/common';
import {
  ApprovalForbiddenError,
  Decide,
  DestructiveTool,
  Hook,
  RequireApproval,
  Tool,
  ToolGuard,
  type HookCall,
  type JsonObject,
  type Principal,
  type ToolHook,
} from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { z } from 'zod';

import { ANN, boot, type Boot, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOn, STORES } from '../support/governed/stores.js';

const ran: unknown[] = [];
const N = z.object({ n: z.number() });

@Injectable()
class Tools {
  @DestructiveTool({ description: 'Pays', parameters: N })
  @RequireApproval({ approvers: { roles: ['finance'] } })
  pay({ n }: z.infer<typeof N>): string {
    ran.push(`pay ${n}`);
    return 'paid';
  }

  @DestructiveTool({ description: 'Drops', parameters: N })
  @RequireApproval({ approvers: { notRequester: true } })
  drop({ n }: z.infer<typeof N>): string {
    ran.push(`drop ${n}`);
    return 'dropped';
  }

  @DestructiveTool({ description: 'Closes', parameters: N })
  @RequireApproval({ approvers: { quorum: 2 } })
  shut({ n }: z.infer<typeof N>): string {
    ran.push(`close ${n}`);
    return 'closed';
  }

  @DestructiveTool({ description: 'Invites', parameters: z.record(z.string(), z.unknown()) })
  invite(args: Record<string, unknown>): string {
    ran.push(args);
    return 'invited';
  }
}

let app: GovernedApp;
beforeEach(() => void ran.splice(0));
afterEach(() => app.close());

const asked = async (runId: string) => (await app.approvals.list({ runId })).items;
const waiting = async (tool: string, args: JsonObject, user: Principal = ANN) => {
  const { handle } = await app.play([[call(tool, args)], [says('ok')]], { user });
  const [approval] = await asked(handle.runId);
  if (approval === undefined) throw new Error('Nothing waits.');
  const say = (by: Principal) =>
    app.approvals.decide(approval.id, { approved: true, by }).then(
      ({ status }) => status,
      (error: unknown) => error,
    );
  return { approval, runId: handle.runId, say };
};

describe.each(STORES)('who decides, in %s', (store) => {
  const start = async (options: Boot['options'] = {}) => {
    app = await bootOn(store, { providers: [Tools], options: { approvals: { autoResume: false }, ...options } });
  };

  it('roles are a list: a text holds none', async () => {
    await start();
    const { say } = await waiting('pay', { n: 1 });
    for (const roles of ['no-finance-rights', 'finance', { includes: () => true }])
      expect(await say({ id: 'eve', roles } as unknown as Principal)).toBeInstanceOf(ApprovalForbiddenError);
    expect(await say({ id: 'fin', roles: ['finance'] })).toBe('approved');
  });

  it.each(['u\0', 'u\ud800'])('whoever requested it does not decide, also as %j', async (id) => {
    await start();
    const { say } = await waiting('drop', { n: 1 }, { id });
    expect(await say({ id })).toBeInstanceOf(ApprovalForbiddenError);
    expect(await say({ id: 'bob' })).toBe('approved');
  });

  it('nobody is two people for a character that no store keeps', async () => {
    await start();
    const { say } = await waiting('shut', { n: 1 });
    expect([await say({ id: 'b\0' }), await say({ id: 'b\\u0000' })]).toEqual(['pending', 'pending']);
    expect([await say({ id: 'c\ud800' }), await say({ id: 'c\ud801' })]).toEqual(['approved', 'approved']);
  });
});

describe.each(STORES)('keys that are not shown as they are, in %s', (store) => {
  beforeEach(async () => {
    const options = { redaction: { valuePatterns: [/\w+@\w+\.\w+/] } };
    app = await bootOn(store, { providers: [Tools], options });
  });

  it.each<[string, JsonObject, JsonObject, readonly string[]]>([
    [
      'that hold what is redacted',
      { '7': 'x', 'ann@acme.test': 'a', 'bob@acme.test': { role: 'b' } },
      { '7': 'x', '[redacted]': 'a', '[redacted]#2': { role: 'b' } },
      ['/[redacted]', '/[redacted]#2'],
    ],
    ['with a NUL', { 'k\0': 'v\0' }, { 'k\\u0000': 'v\\u0000' }, ['/k\\u0000']],
  ])('%s are hidden, not cut: the call can be approved', async (_, args, shown, hidden) => {
    const { approval, runId } = await waiting('invite', args);
    expect([approval.args, approval.hidden]).toEqual([shown, hidden]);
    const { outcome } = await app.resumed(runId, [{ approvalId: approval.id, approved: true }]);
    expect([outcome.status, ran]).toEqual(['completed', [args]]);
  });
});

describe.each(STORES)('an approved call that a hook redirects, in %s', (store) => {
  it('takes its approval with it: only what took its place waits', async () => {
    let on = false;
    @Hook()
    class Elsewhere implements ToolHook {
      beforeTool({ args }: HookCall) {
        const isFirst = on && (args as { n: number }).n === 1;
        return isFirst ? Decide.redirect({ args: { n: 2 } }, 'elsewhere') : undefined;
      }
    }
    @Injectable()
    class Erasing {
      @DestructiveTool({ description: 'Erases', parameters: N })
      erase({ n }: z.infer<typeof N>): string {
        ran.push(`erase ${n}`);
        return 'erased';
      }
    }
    app = await bootOn(store, { providers: [Erasing, Elsewhere] });
    const { approval, runId } = await waiting('erase', { n: 1 });
    on = true;
    await app.resumed(runId, [{ approvalId: approval.id, approved: true }]);
    const states = async () => (await asked(runId)).map(({ status, args }) => [args, status]);
    expect(await states()).toEqual(
      expect.arrayContaining([
        [{ n: 1 }, 'superseded'],
        [{ n: 2 }, 'pending'],
      ]),
    );
    const next = (await asked(runId)).find(({ status }) => status === 'pending');
    const { outcome } = await app.resumed(runId, [{ approvalId: next?.id ?? '', approved: true }]);
    expect([outcome.status, ran]).toEqual(['completed', ['erase 2']]);
    expect(await states()).toEqual(
      expect.arrayContaining([
        [{ n: 1 }, 'superseded'],
        [{ n: 2 }, 'done'],
      ]),
    );
  });
});

describe('a guard that does not say whether it holds a call', () => {
  it.each<[string, () => unknown]>([
    ['nothing', () => ({})],
    ['nothing, later', () => Promise.resolve({})],
    ['no object', () => undefined],
  ])('holds it: %s', async (_, decide) => {
    @Injectable()
    class Free {
      @Tool({ description: 'Looks', parameters: N })
      look({ n }: z.infer<typeof N>): string {
        ran.push(`look ${n}`);
        return 'seen';
      }
    }
    app = await boot({ providers: [Free] });
    Object.assign(app.module.get(ToolGuard, { strict: false }), { decide });
    const { approval } = await waiting('look', { n: 1 });
    expect([approval.status, ran]).toEqual(['pending', []]);
  });
});
