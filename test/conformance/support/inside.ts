import type { INestApplicationContext } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';

/** A service of the library that it does not export, by the name of its class: for what only shows from inside. */
export function inside<T extends object>(app: INestApplicationContext, name: string): T {
  for (const module of app.get(ModulesContainer).values()) {
    for (const [token, wrapper] of module.providers) {
      if (typeof token === 'function' && token.name === name) return wrapper.instance as T;
    }
  }
  throw new Error(`No module provides a ${name}.`);
}
