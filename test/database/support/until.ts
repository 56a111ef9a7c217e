import { setTimeout as pause } from 'node:timers/promises';

/** Asks until the answer is yes; throws after ten seconds. */
export async function until(what: string, question: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await question())) {
    if (performance.now() > deadline) throw new Error(`Waited ten seconds in vain until ${what}.`);
    await pause(10);
  }
}
