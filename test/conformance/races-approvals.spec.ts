import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import {
  ApprovalRequired,
  ApprovalSpentError,
  DestructiveTool,
  Middleware,
  RequireApproval,
  Tool,
  type GatehouseModuleOptions,
  type ToolCall,
} from 'nest-gatehouse';
import { call, captureLog, says } from 'nest-gatehouse/testing';
import { catchError, of, retry, type Observable } from 'rxjs';
import { z } from 'zod';

import { boot, type Boot, type GovernedApp } from '../support/governed/governed.app.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { bootOnUrl, migratedTemplate } from '../support/governed/stores.js';
import { logged } from '../nest/support/tools.app.js';
import { Payments, PaysOnce } from './support/payments.js';
import { sqlOn } from './support/sql.js';

let app: GovernedApp;
const apps: GovernedApp[] = [];
let database: FreshDatabase | undefined;
afterEach(async () => {
  await Promise.all(apps.splice(0).map((one) => one.close()));
  await database?.drop();
  database = undefined;
});
const start = async (providers: Boot['providers'], options: GatehouseModuleOptions = {}) => {
  app = await boot({ providers, options });
  apps.push(app);
};

const askedOf = async (runId: string) => (await app.approvals.list({ runId })).items;
/** The run's newest approval is given. */
const approve = async (runId: string) => {
  const [approval] = await askedOf(runId);
  return app.resumed(runId, [{ approvalId: approval?.id ?? '', approved: true }]);
};

describe('what stands around an approved call', () => {
  const done: string[] = [];
  beforeEach(() => done.splice(0));

  /** A gated tool behind this interceptor. */
  const behind = (interceptor: Type<NestInterceptor>) => {
    @Injectable()
    class Tools {
      @DestructiveTool({ description: 'Pays', parameters: z.object({ amount: z.number() }) })
      @UseInterceptors(interceptor)
      pay({ amount }: { amount: number }): string {
        done.push(`pay ${amount}`);
        throw new Error('bank away');
      }
    }
    return Tools;
  };

  it('[356] an interceptor that changes its arguments: not started, the approval void', async () => {
    @Injectable()
    class Raises implements NestInterceptor {
      intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
        const { args } = context.getArgByIndex<{ args: { amount: number } }>(0);
        args.amount += 100;
        return next.handle();
      }
    }
    await start([behind(Raises), Raises]);
    const { handle } = await app.play([[call('pay', { amount: 5 })], [says('ok')]]);
    const { outcome } = await approve(handle.runId);
    expect(outcome).toMatchObject({ status: 'suspended', approvals: [{ args: { amount: 105 } }] });
    expect((await askedOf(handle.runId)).map(({ status }) => status)).toEqual(['pending', 'superseded']);
    expect(done).toEqual([]);
  });

  it('[357] an interceptor that retries: one start, and the second attempt throws that it is spent', async () => {
    const seen: unknown[] = [];
    @Injectable()
    class Retries implements NestInterceptor {
      intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
        return next.handle().pipe(
          retry(1),
          catchError((error: unknown) => {
            seen.push(error);
            return of('recovered');
          }),
        );
      }
    }
    await start([behind(Retries), Retries]);
    const { handle } = await app.play([[call('pay', { amount: 5 })], [says('ok')]]);
    await approve(handle.runId);
    expect(done).toEqual(['pay 5']);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toBeInstanceOf(ApprovalSpentError);
  });

  it('[370] a middleware that swallows ApprovalRequired changes nothing: the run waits', async () => {
    @Injectable()
    class Asks {
      @Tool({ description: 'Asks by itself', parameters: z.object({}) })
      ask(_: object, tool: ToolCall): string {
        if (tool.approval === undefined) throw new ApprovalRequired();
        return 'asked and done';
      }
    }
    @Middleware()
    class Swallows {
      async aroundTool(_: ToolCall, next: () => Promise<unknown>) {
        return next().catch(() => 'nothing happened');
      }
    }
    await start([Asks, Swallows]);
    const { handle, outcome, script } = await app.play([[call('ask', {})], [says('ok')]]);
    expect(outcome).toMatchObject({ status: 'suspended', approvals: [{ toolName: 'ask' }] });
    await approve(handle.runId);
    expect(script.results[0]).toMatchObject([{ status: 'completed', content: 'asked and done' }]);
  });
});

describe('what an approval is worth elsewhere', () => {
  const bootTwo = async (first: Boot, second: Boot) => {
    database = await freshDatabase(await migratedTemplate());
    app = await bootOnUrl(database.url, first);
    const { handle } = await app.play([[]], { agent: 'pays-once' });
    await app.close();
    app = await bootOnUrl(database.url, second);
    apps.push(app);
    return handle.runId;
  };
  const done = () => app.module.get(Payments).done;
  const first: Boot = { providers: [Payments, PaysOnce] };

  it.each([
    ['denied', false, []],
    ['approved', true, ['pay 5']],
  ])('[358] the guard is off after asking: %s counts all the same', async (_word, approved, expected) => {
    const runId = await bootTwo(first, { ...first, options: { guard: { enabled: false } } });
    const [approval] = await askedOf(runId);
    await app.resumed(runId, [{ approvalId: approval?.id ?? '', approved }]);
    expect(done()).toEqual(expected);
  });

  it('[358] the guard is off after asking, and nobody answers: expired, no start', async () => {
    const runId = await bootTwo(first, { ...first, options: { guard: { enabled: false } } });
    await sqlOn(database?.url ?? '', "update gatehouse.approval_request set expires_at = now() - interval '1 second'");
    const [approval] = await askedOf(runId);
    await expect(app.resumed(runId, [{ approvalId: approval?.id ?? '', approved: true }])).rejects.toThrow('expired');
    await app.resumed(runId, []);
    expect(await app.statuses(runId)).toEqual(['pay expired']);
    expect(done()).toEqual([]);
  });

  describe('[359] with approvals.secret', () => {
    const secret = 'a secret of at least thirty-two characters';
    const sealed: Boot = { ...first, options: { approvals: { secret } } };
    /** What whoever can write to the database would write. */
    const FORGED = `with vote as (insert into gatehouse.approval_vote (approval_id, principal_id, approved, at)
        select id, 'ann', true, now() from gatehouse.approval_request returning approval_id)
      update gatehouse.approval_request set status = 'approved', decision = true, decided_at = now(),
        execute_before = now() + interval '15 minutes' from vote where id = approval_id`;

    it('a row that was set to approved by SQL starts nothing, and the log says so', async () => {
      const runId = await bootTwo(sealed, { ...sealed, options: { approvals: { secret, autoResume: false } } });
      await sqlOn(database?.url ?? '', FORGED);
      const log = captureLog();
      await app.resumed(runId, []);
      log.release();
      expect(done()).toEqual([]);
      expect((await app.operations(runId)).map(({ status, executionStarted }) => [status, executionStarted])).toEqual([
        ['failed', false],
      ]);
      expect(log.lines).toMatchObject([
        { level: 'warn', message: expect.stringMatching(/carries no signature of a known secret/) },
      ]);
    });

    it('a decision that was really given runs, in another process too', async () => {
      const runId = await bootTwo(sealed, sealed);
      await approve(runId);
      expect(done()).toEqual(['pay 5']);
    });

    it('a short one is refused at boot', async () => {
      // A variable that was forgotten: nobody means to run unsigned by that.
      await expect(boot({ providers: [], options: { approvals: { secret: undefined } } })).rejects.toThrow(
        'Is the environment variable set?',
      );
      await expect(boot({ providers: [], options: { approvals: { secret: 's3cret' } } })).rejects.toThrow(
        /^approvals\.secret must be/,
      );
    });
  });

  it('[369] the tool has changed since: the approval is void, asked once more, and runs once the new one is given', async () => {
    @Injectable()
    class Changed extends Payments {
      @DestructiveTool({ description: 'Pays', parameters: z.object({ amount: z.number().max(1000) }) })
      override pay(args: { amount: number }): string {
        return super.pay(args);
      }
    }
    const runId = await bootTwo(first, { providers: [{ provide: Payments, useClass: Changed }, PaysOnce] });
    const again = await approve(runId);
    expect(again.outcome).toMatchObject({ status: 'suspended', approvals: [{ toolName: 'pay', args: { amount: 5 } }] });
    expect(done()).toEqual([]);
    expect((await askedOf(runId)).map(({ status }) => status)).toEqual(['pending', 'superseded']);
    await approve(runId);
    expect(done()).toEqual(['pay 5']);
    expect((await askedOf(runId)).map(({ status }) => status)).toEqual(['done', 'superseded']);
  });
});

describe('[376] an approved call whose schema transforms', () => {
  const done: unknown[] = [];
  let count = 0;
  @Injectable()
  class Shaping {
    @DestructiveTool({
      description: 'Books',
      parameters: z.object({ amount: z.string().transform(Number), day: z.coerce.date() }),
    })
    book(args: { amount: number; day: Date }): string {
      done.push(args);
      return 'booked';
    }

    @DestructiveTool({ description: 'Draws', parameters: z.object({ lot: z.number().default(() => (count += 1)) }) })
    draw(args: { lot: number }): string {
      done.push(args);
      return 'drawn';
    }
  }
  beforeEach(async () => {
    done.splice(0);
    await start([Shaping]);
  });

  it('runs with the values that were shown, as the types they have', async () => {
    const { handle } = await app.play([[call('book', { amount: '7', day: '2026-01-02' })], [says('ok')]]);
    const [approval] = await askedOf(handle.runId);
    expect(approval?.args).toEqual({ amount: 7, day: '2026-01-02T00:00:00.000Z' });
    await approve(handle.runId);
    expect(done).toEqual([{ amount: 7, day: new Date('2026-01-02') }]);
    expect(done[0]).toMatchObject({ day: expect.any(Date) as Date });
  });

  it('with a random default is not started: not repeatable', async () => {
    const { handle, script } = await app.play([[call('draw', {})], [says('ok')]]);
    await approve(handle.runId);
    expect(script.results[0]).toMatchObject([{ status: 'failed', outcome: 'failed' }]);
    const [operation] = await app.operations(handle.runId);
    expect(operation?.reason).toBe("the schema of 'draw' is not repeatable");
    expect(done).toEqual([]);
  });
});

it('[377] @DestructiveTool with a predicate: 50 runs at once, 150 waits, and the boot table says why', async () => {
  const done: number[] = [];
  @Injectable()
  class Pays {
    @DestructiveTool({ description: 'Pays', parameters: z.object({ amount: z.number() }) })
    @RequireApproval({ when: ({ amount }: { amount: number }) => amount > 100 })
    pay({ amount }: { amount: number }): string {
      done.push(amount);
      return 'paid';
    }
  }
  const lines = await logged(() => start([Pays]));
  expect(lines).toContainEqual(
    expect.stringMatching(/\npay +Pays#pay +gated +@RequireApproval, when its arguments say so /) as string,
  );
  const { outcome } = await app.play([[call('pay', { amount: 50 })], [call('pay', { amount: 150 })], [says('never')]]);
  expect(outcome).toMatchObject({ status: 'suspended', approvals: [{ args: { amount: 150 } }] });
  expect(done).toEqual([50]);
});
