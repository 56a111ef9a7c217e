import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Resolves once everything that nobody holds any more is gone: weak references to it are empty. */
export async function collected(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // A weak reference keeps its target until the turn that read it is over.
  for (let round = 0; round < 3; round += 1) {
    await turn();
    collect();
  }
}
