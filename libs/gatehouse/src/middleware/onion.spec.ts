import type { ToolMiddleware } from '../contracts/roles.js';
import { ToolCall } from '../contracts/tool.call.js';
import type { NamedMiddleware } from './middleware.order.js';
import { throughMiddleware } from './onion.js';

class Call extends ToolCall {
  readonly #toolName = 'lookup';
  readonly args: unknown = Object.freeze({ n: 1 });
  readonly runId = 'r1';
  readonly threadId = 't1';
  readonly operationId = 'o1';
  readonly toolCallId = 'c1';
  readonly attempt = 1;
  readonly user = undefined;
  readonly organizationId = undefined;
  readonly ipAddress = undefined;
  readonly signal = new AbortController().signal;
  readonly state = {};
  readonly idempotencyKey = 'o1';
  readonly approval = undefined;
  get toolName(): string {
    return this.#toolName;
  }
}

const CALL = Object.freeze(new Call());
const layer = (name: string, aroundTool: ToolMiddleware['aroundTool']): NamedMiddleware => ({
  name,
  role: { aroundTool },
});

describe('throughMiddleware', () => {
  it('without middleware it is the innermost function', async () => {
    expect(await throughMiddleware([], CALL, CALL.args, async (args) => [args, args === CALL.args])).toEqual([
      { n: 1 },
      true,
    ]);
  });

  it('[211] goes in from outer to inner, and out the other way', async () => {
    const order: string[] = [];
    const tracing = (name: string): NamedMiddleware =>
      layer(name, async (_, next) => {
        order.push(`${name} in`);
        const result = await next();
        order.push(`${name} out`);
        return `${name}(${String(result)})`;
      });
    const result = await throughMiddleware([tracing('A'), tracing('B')], CALL, CALL.args, async () => {
      order.push('method');
      return 'found';
    });
    expect(result).toBe('A(B(found))');
    expect(order).toEqual(['A in', 'B in', 'method', 'B out', 'A out']);
  });

  it('changed arguments are what everything further in sees, and only that', async () => {
    const seen: unknown[] = [];
    const looking = layer('Looking', (call, next) => {
      seen.push(call.args, call.toolName, call instanceof ToolCall);
      return next();
    });
    const changing = layer('Changing', (_, next) => next({ args: { n: 5 } }));
    const received = await throughMiddleware([looking, changing, looking], CALL, CALL.args, async (args) => args);
    expect(received).toEqual({ n: 5 });
    expect(seen).toEqual([{ n: 1 }, 'lookup', true, { n: 5 }, 'lookup', true]);
  });

  it('an empty change changes nothing; undefined said aloud does', async () => {
    const innermost = async (args: unknown): Promise<unknown> => args;
    const empty = layer('Empty', (_, next) => next({} as never));
    const nothing = layer('Nothing', (_, next) => next({ args: undefined }));
    expect(await throughMiddleware([empty], CALL, CALL.args, innermost)).toEqual({ n: 1 });
    expect(await throughMiddleware([nothing], CALL, CALL.args, innermost)).toBeUndefined();
  });

  it('a second next starts the innermost function again: whether it may is its own business', async () => {
    let starts = 0;
    const retrying = layer('Retrying', async (_, next) => next().catch(() => next()));
    const result = await throughMiddleware([retrying], CALL, CALL.args, async () => {
      starts += 1;
      if (starts === 1) throw new Error('flaky');
      return 'found';
    });
    expect([result, starts]).toEqual(['found', 2]);
  });

  it('may answer without going in', async () => {
    const cache = layer('Cache', async () => 'cached');
    expect(await throughMiddleware([cache], CALL, CALL.args, () => Promise.reject(new Error('unused')))).toBe('cached');
  });

  it("[191] sees the method's own exception object", async () => {
    const kaboom = new Error('kaboom');
    const seen: unknown[] = [];
    const watching = layer('Watching', (_, next) =>
      next().catch((error: unknown) => {
        seen.push(error);
        throw error;
      }),
    );
    await expect(throughMiddleware([watching], CALL, CALL.args, () => Promise.reject(kaboom))).rejects.toBe(kaboom);
    expect(seen).toEqual([kaboom]);
  });

  it('a synchronous throw is a rejection', async () => {
    const throwing = layer('Throwing', () => {
      throw new Error('oops');
    });
    await expect(throughMiddleware([throwing], CALL, CALL.args, async () => 1)).rejects.toThrow('oops');
  });
});
