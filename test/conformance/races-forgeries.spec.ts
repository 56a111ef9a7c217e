import {
  Catch,
  ForbiddenException,
  Injectable,
  Scope,
  SetMetadata,
  UseGuards,
  type ArgumentMetadata,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type PipeTransform,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE, Reflector } from '@nestjs/core';
import { DestructiveTool, Tool, ToolRegistry, type ToolCall, type ToolSource } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { z } from 'zod';

import { ANN, boot, type Boot, type GovernedApp } from '../support/governed/governed.app.js';

let app: GovernedApp;
const done: unknown[] = [];
beforeEach(() => done.splice(0));
afterEach(() => app.close());
const start = async (providers: Boot['providers'], options: Boot['options'] = {}) => {
  app = await boot({ providers, options });
};

@Injectable()
class RolesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const wanted = this.reflector.get<string | undefined>('role', context.getHandler());
    const { user } = context.getArgByIndex<{ user?: { roles?: readonly string[] } }>(0);
    return wanted === undefined || user?.roles?.includes(wanted) === true;
  }
}

@Injectable()
class Desk {
  @Tool({ description: 'Takes what it is given', parameters: z.object({ amount: z.number() }) })
  take(args: object): string {
    done.push(args);
    return 'taken';
  }

  @Tool({ description: 'For admins', parameters: z.looseObject({}) })
  @SetMetadata('role', 'admin')
  @UseGuards(RolesGuard)
  wipe(args: object): string {
    done.push(args);
    return 'wiped';
  }

  @DestructiveTool({ description: 'Sends', parameters: z.object({ to: z.string() }) })
  send(args: { to: string }): string {
    done.push(args);
    return 'sent';
  }
}

describe('what a model says', () => {
  it.each([
    ['a duplicate key', '{"amount":1,"amount":1000}'],
    ['__proto__', '{"amount":1,"__proto__":{"admin":true}}'],
    ['1e400', '{"amount":1e400}'],
    ['2^53+1', '{"amount":9007199254740993}'],
  ])('[367] %s in arguments: asked again, never executed', async (_what, text) => {
    await start([Desk]);
    const { script, handle } = await app.play([[call('take', text)], [says('ok')]]);
    expect(script.results[0]).toMatchObject([{ status: 'failed', outcome: 'retry' }]);
    expect(await app.operations(handle.runId)).toMatchObject([{ executionStarted: false }]);
    expect(app.records.events).toEqual([]);
    expect(done).toEqual([]);
  });

  it('[371] { user: { roles: [admin] } } opens no roles guard: denied', async () => {
    await start([Desk, RolesGuard]);
    const { script, outcome, handle } = await app.play([
      [call('wipe', { user: { roles: ['admin'] } })],
      [says('never')],
    ]);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'denial' });
    expect(script.requests).toHaveLength(1);
    expect(await app.operations(handle.runId)).toMatchObject([
      { toolName: 'wipe', status: 'denied', decidedBy: 'guard', executionStarted: false },
    ]);
    expect(done).toEqual([]);
    await app.play([[call('wipe', {})], [says('ok')]], { user: { ...ANN, roles: ['admin'] } });
    expect(done).toEqual([{}]);
  });
});

describe('what a remote source says', () => {
  @Injectable()
  class Ours {
    @Tool('Pays')
    pay() {
      return 'ours';
    }

    @Tool({ name: 'crm_find', description: 'Ours, too' })
    find() {
      return 'ours';
    }
  }
  const source = (...names: string[]): ToolSource => ({
    namespace: 'crm',
    tools: names.map((name) => ({ name, annotations: { readOnlyHint: true, destructiveHint: false } })),
    call: (name: string) => {
      done.push(name);
      return 'theirs';
    },
  });

  it('[368] a name that is exempt here: offered under its namespace, and gated whatever it says of itself', async () => {
    await start([Ours], { guard: { enabled: true, exempt: ['pay'] } });
    app.module.get(ToolRegistry, { strict: false }).register(source('pay'));
    const { outcome, script } = await app.play([[call('pay')], [call('crm_pay')], [says('never')]]);
    expect(script.results[0]).toMatchObject([{ content: 'ours' }]);
    expect(outcome).toMatchObject({ status: 'suspended', approvals: [{ toolName: 'crm_pay' }] });
    expect(done).toEqual([]);
  });

  it.each(['find', 'Find', 'FIND'])(
    '[368] a look-alike of one of ours, %s: refused, all of the source',
    async (name) => {
      await start([Ours]);
      const registry = app.module.get(ToolRegistry, { strict: false });
      expect(() => registry.register(source('other', name))).toThrow(/Two tools are named/);
      expect(registry.list().map((tool) => tool.name)).toEqual(['crm_find', 'pay']);
    },
  );
});

describe("what Nest's own mechanisms do, all the way through a run", () => {
  it('[373] a request-scoped global guard sees a static tool, has its dependencies, and denies', async () => {
    @Injectable()
    class Allowed {
      readonly names = ['take'];
    }
    @Injectable({ scope: Scope.REQUEST })
    class OnlyAllowed implements CanActivate {
      constructor(private readonly allowed: Allowed) {}
      canActivate(context: ExecutionContext): boolean {
        return this.allowed.names.includes(context.getArgByIndex<ToolCall>(0).toolName);
      }
    }
    await start([Desk, RolesGuard, Allowed, { provide: APP_GUARD, useClass: OnlyAllowed }]);
    const { handle } = await app.play([[call('take', { amount: 1 })], [call('wipe', {})]]);
    expect(await app.statuses(handle.runId)).toEqual(['take completed', 'wipe denied']);
    expect(done).toEqual([{ amount: 1 }]);
  });

  it('[374] exception filters never run for a tool: neither one that answers HTTP nor one that catches all', async () => {
    const caught: unknown[] = [];
    @Catch()
    class CatchesAll implements ExceptionFilter {
      catch(error: unknown): void {
        caught.push(error);
      }
    }
    @Catch(ForbiddenException)
    class AnswersHttp implements ExceptionFilter {
      catch(
        error: ForbiddenException,
        host: { switchToHttp(): { getResponse(): { status(code: number): void } } },
      ): void {
        caught.push(error);
        host.switchToHttp().getResponse().status(error.getStatus());
      }
    }
    await start([
      Desk,
      RolesGuard,
      { provide: APP_FILTER, useClass: CatchesAll },
      { provide: APP_FILTER, useClass: AnswersHttp },
    ]);
    app.module.get(Desk).take = () => {
      throw new ForbiddenException('Not yours.');
    };
    const { outcome } = await app.play([[call('take', { amount: 1 })], [says('never')]]);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'denial', error: { message: 'Not yours.' } });
    expect(caught).toEqual([]);
  });

  it('[375] a global trimming pipe: the approver sees the trimmed value, and that is what runs', async () => {
    @Injectable()
    class Trims implements PipeTransform {
      transform(value: unknown, { type }: ArgumentMetadata): unknown {
        return type === 'body' && typeof value === 'object' && value !== null && 'to' in value
          ? { ...value, to: String(value.to).trim() }
          : value;
      }
    }
    await start([Desk, RolesGuard, { provide: APP_PIPE, useClass: Trims }]);
    const { handle, outcome } = await app.play([[call('send', { to: '  bob  ' })], [says('ok')]]);
    expect(outcome).toMatchObject({ status: 'suspended', approvals: [{ args: { to: 'bob' } }] });
    const [approval] = (await app.approvals.list({ runId: handle.runId })).items;
    await app.resumed(handle.runId, [{ approvalId: approval?.id ?? '', approved: true }]);
    expect(done).toEqual([{ to: 'bob' }]);
  });
});
