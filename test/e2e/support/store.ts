import { ModulesContainer } from '@nestjs/core';

import type { Desk } from './desk.app.js';
import { Gate } from './gate.js';

type Method = (...args: unknown[]) => Promise<unknown>;

/** Holds the next calls of one write of the store until the gate opens. The library exports no store: it is found by its name. */
export function holding(desk: Desk, method: 'startRun' | 'requestApproval'): { readonly gate: Gate; release(): void } {
  const store = storeOf(desk);
  const original = store[method];
  if (original === undefined) throw new Error(`The store has no ${method}.`);
  const gate = new Gate();
  store[method] = async (...args) => {
    await gate.pass();
    return original.apply(store, args);
  };
  return {
    gate,
    release: () => {
      store[method] = original;
      gate.open();
    },
  };
}

const storeOf = (desk: Desk): Record<string, Method | undefined> =>
  internal(desk, 'RunStore') as Record<string, Method | undefined>;

/** A provider of the library that it does not export, by the name of its class. */
export function internal(desk: Desk, name: string): object {
  for (const module of desk.app.get(ModulesContainer).values()) {
    for (const [token, wrapper] of module.providers) {
      if (typeof token === 'function' && token.name === name) return wrapper.instance as object;
    }
  }
  throw new Error(`No module provides a ${name}.`);
}
