import type { JsonValue, RunContext } from 'nest-gatehouse';
import { call as proposes, type ScriptedExecutor } from 'nest-gatehouse/testing';
import { v7 } from 'uuid';

import { PIECES, VALUES, type Speech, type StateChange, type Story, type Turn } from './story.js';

/** Beside the run itself: how it is cancelled from inside, and where it waits before its last word. */
export interface Stage {
  readonly cancel: (runId: string) => void;
  readonly beforeTheEnd?: (run: RunContext) => Promise<void>;
}

/** Tells a story as a run, from where it stands. */
export const performing = (story: Story, stage: Stage): ScriptedExecutor => ({
  requests: [],
  results: [],
  execute: async (run) => {
    const first = run.resumed === undefined ? 0 : run.usage.requests;
    for (const turn of story.slice(first)) {
      await run.admitRequest();
      const spoken = begin(run, turn, stage);
      const calls = turn.calls.map(({ tool, ...args }) => proposes(tool, args));
      if (calls.length === 0) await stage.beforeTheEnd?.(run);
      await run.callBatch(calls, spoken);
      if (run.output !== undefined) return run.output;
    }
    await stage.beforeTheEnd?.(run);
    return { value: 'the end' };
  },
});

function begin(run: RunContext, { speeches, state, custom, tokens, incident }: Turn, { cancel }: Stage) {
  changeState(run.state, state);
  const facts = speeches.map((speech) => speak(run, speech));
  // What no type would let through, and JavaScript does.
  if (custom !== undefined) run.emit({ type: 'custom', name: 'progress', value: VALUES[custom]() as JsonValue });
  if (incident === 'cancel') cancel(run.runId);
  if (incident === 'throw') throw new Error('postgres://desk:hunter2@10.0.0.1/desk');
  return { ...facts.findLast(({ text }) => text !== ''), inputTokens: tokens, outputTokens: tokens };
}

function speak(
  run: RunContext,
  { kind, manner, pieces }: Speech,
): { readonly text: string; readonly messageId: string } {
  const messageId = v7();
  const says = (what: 'start' | 'end') => run.emit({ type: `${kind}.${what}`, messageId });
  if (manner === 'end first') says('end');
  if (manner !== 'no start') says('start');
  if (manner === 'twice') says('start');
  const told = manner === 'nothing in it' ? [] : pieces.map((piece) => PIECES[piece]);
  for (const delta of told) run.emit({ type: `${kind}.delta`, messageId, delta });
  if (manner !== 'no end') says('end');
  if (manner === 'twice') says('end');
  return { text: kind === 'text' ? told.join('') : '', messageId };
}

/** The same changes twice come to the same: a value that is no JSON stays what it is. */
export function changeState(state: Record<string, JsonValue>, changes: readonly StateChange[]): void {
  for (const { key, how, value } of changes) {
    // What is stored must be JSON; what is shown need not be asked.
    const wanted = typeof value === 'number' ? value : storable(VALUES[value]());
    const list = state[key];
    if (how === 'delete') delete state[key];
    else if (how === 'append' && Array.isArray(list)) state[key] = [...(list as JsonValue[]), wanted];
    else state[key] = how === 'append' ? [wanted] : wanted;
  }
}

const storable = (value: unknown): JsonValue => {
  try {
    return (JSON.parse(JSON.stringify(value) ?? 'null') as JsonValue) ?? null;
  } catch {
    return 'no JSON';
  }
};
