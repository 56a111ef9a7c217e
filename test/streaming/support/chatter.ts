import { setTimeout as pause } from 'node:timers/promises';

import type { RunCandidate, RunContext, RunExecutor } from 'nest-gatehouse';

import { Random } from '../../chaos/random.js';
import { AMOUNT, orderOf, storyOn, type FaultStory, type PlannedTurn } from './fault.story.js';

/** Speaks and calls tools as the story of its thread says; resumed, at any replica, it goes on with the next turn. */
export const chatter: RunExecutor = {
  async execute(run: RunContext): Promise<RunCandidate> {
    const story = storyOn(run.threadId);
    const first = run.resumed === undefined ? 0 : run.usage.requests;
    for (const [at, turn] of story.turns.entries()) {
      if (at < first) continue;
      await run.admitRequest();
      const random = new Random(story.seed * 31 + at);
      await speak(run, random, `m${at}`);
      const calls = callsOf(story, turn, at);
      if (calls.length > 0) await run.callBatch(calls, { text: '' });
    }
    return { value: 'done' };
  },
};

function callsOf(story: FaultStory, turn: PlannedTurn, at: number) {
  const refunds = Array.from({ length: turn.gated }, (_, call) => ({
    toolName: 'refund',
    args: { order: orderOf(story, at, call), amount: AMOUNT },
  }));
  return [...(turn.lookup ? [{ toolName: 'lookup', args: { order: at } }] : []), ...refunds];
}

async function speak(run: RunContext, random: Random, messageId: string): Promise<void> {
  run.emit({ type: 'text.start', messageId });
  for (let deltas = 1 + random.below(10); deltas > 0; deltas -= 1) {
    run.signal.throwIfAborted();
    run.emit({ type: 'text.delta', messageId, delta: 'x'.repeat(1 + random.below(random.pick([10, 400, 4_000]))) });
    if (random.chance(0.6)) await pause(random.below(10), undefined, { signal: run.signal });
  }
  run.emit({ type: 'text.end', messageId });
}
