import { setTimeout as pause } from 'node:timers/promises';

import type { RunCandidate, RunContext, RunExecutor } from 'nest-gatehouse';

import { Random } from '../../chaos/random.js';

/** Speaks at random, calls a tool at random, as the thread's name says. */
export const chatter: RunExecutor = {
  async execute(run: RunContext): Promise<RunCandidate> {
    const random = new Random(seedOf(run.threadId));
    for (let message = 0; message < 2; message += 1) {
      await speak(run, random, `m${message}`);
      if (random.chance(0.5))
        await run.callBatch([{ toolName: 'lookup', args: { order: random.below(100) } }], { text: '' });
    }
    return { value: 'done' };
  },
};

async function speak(run: RunContext, random: Random, messageId: string): Promise<void> {
  run.emit({ type: 'text.start', messageId });
  for (let deltas = 1 + random.below(15); deltas > 0; deltas -= 1) {
    run.signal.throwIfAborted();
    run.emit({ type: 'text.delta', messageId, delta: 'x'.repeat(1 + random.below(random.pick([10, 400, 4_000]))) });
    if (random.chance(0.6)) await pause(random.below(12), undefined, { signal: run.signal });
  }
  run.emit({ type: 'text.end', messageId });
}

const seedOf = (name: string): number => [...name].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, 7);
