import { RunStreams, type RunContext } from 'nest-gatehouse';
import { eventsOf } from 'nest-gatehouse/testing';

import { asks, post } from './client.js';
import type { Desk } from './desk.app.js';

export interface Visit {
  readonly response: Promise<Response>;
  /** Resolves once an event of this type arrived; the connection stays open. */
  seen(type: string): Promise<void>;
  leave(): void;
}

/** A client that reads, and can leave. */
export const visiting = (ask: (signal: AbortSignal) => Promise<Response>): Visit => {
  const leaving = new AbortController();
  const response = ask(leaving.signal);
  response.catch(() => undefined);
  let events: ReturnType<typeof eventsOf> | undefined;
  return {
    response,
    seen: async (type) => {
      events ??= eventsOf(await response);
      for (;;) {
        const { value, done } = await events.next();
        if (done === true) throw new Error(`The stream ended without ${type}.`);
        if (value.data?.includes(`"${type}"`) === true) return;
      }
    },
    leave: () => {
      leaving.abort();
      void events?.return();
    },
  };
};

/** The same, from the start of a run. */
export const visit = (desk: Desk, input: object = asks('go')): Visit =>
  visiting((signal) => post(desk, 'runs', input, { signal }));

/** A model that starts to speak and does not end. */
export const says4ever = async (run: RunContext): Promise<never> => {
  run.signal.throwIfAborted();
  run.emit({ type: 'text.start', messageId: 'm' });
  run.emit({ type: 'text.delta', messageId: 'm', delta: 'partial answer' });
  return new Promise((_, reject) =>
    run.signal.addEventListener('abort', () => reject(run.signal.reason as Error), { once: true }),
  );
};

/** A model that never answers. */
export const thinks4ever = async (run: RunContext): Promise<never> => {
  run.signal.throwIfAborted();
  return new Promise((_, reject) =>
    run.signal.addEventListener('abort', () => reject(run.signal.reason as Error), { once: true }),
  );
};

/** Resolves once one stream alone is open. */
export async function oneStream(desk: Desk): Promise<void> {
  while (desk.get(RunStreams).count !== 1) await new Promise(setImmediate);
}

/** Resolves once the server has seen the last connection end. */
export async function nobodyThere(desk: Desk): Promise<void> {
  while (desk.busy() > 0) await new Promise(setImmediate);
}
