import { Random } from '../../chaos/random.js';

/** What a person says to a call that waits. */
export type Word = 'yes' | 'no' | 'edited';

/** How it reaches us: the approver's inbox, the client's own next request, or both at once. */
export type Way = 'inbox' | 'inbox twice' | 'client' | 'client twice' | 'client and inbox';

export interface PlannedDecision {
  readonly word: Word;
  readonly way: Way;
  /** Whoever speaks second says the opposite. */
  readonly contrary: boolean;
  /** The client's first attempt is given up after so many milliseconds, as a rule before its first event. */
  readonly hasty?: number;
}

/** What the run does before the model is asked again. */
export interface PlannedTurn {
  readonly lookup: boolean;
  /** How many calls wait for a person. */
  readonly gated: number;
}

/** By our id, by whatever name fits what they have, or one segment from whichever id they had. `behind`: they begin with that segment, or when all is over. */
export interface PlannedReader {
  readonly kind: 'whole' | 'wanderer' | 'segment';
  readonly behind: number;
}

/** One run, its people and its readers: data, so that a failure can show it. */
export interface FaultStory {
  readonly seed: number;
  readonly protocol: 'ag-ui' | 'chat';
  readonly turns: readonly PlannedTurn[];
  readonly decisions: readonly PlannedDecision[];
  readonly readers: readonly PlannedReader[];
  /** Milliseconds after the run is known; `at`: the replica that is asked. */
  readonly cancel?: { readonly after: number; readonly at: number };
}

const WAYS: readonly Way[] = ['inbox', 'inbox twice', 'client', 'client', 'client twice', 'client and inbox'];

/** The story of a seed, always the same one. */
export function storyOf(seed: number): FaultStory {
  const dice = new Random(seed);
  const protocol = dice.chance(0.3) ? 'chat' : 'ag-ui';
  const waits = dice.pick([0, 1, 1, 2]);
  const gated = Array.from({ length: waits }, () => ({ lookup: dice.chance(0.3), gated: dice.chance(0.2) ? 2 : 1 }));
  const plain = Array.from({ length: 1 + dice.below(2) }, () => ({ lookup: dice.chance(0.5), gated: 0 }));
  return {
    seed,
    protocol,
    // A turn without a call may come first; the last one never waits.
    turns: [...plain.slice(1), ...gated, ...plain.slice(0, 1)],
    decisions: gated.map(() => decision(dice)),
    readers: Array.from({ length: 1 + dice.below(3) }, () => ({
      kind: dice.pick(['whole', 'wanderer', 'wanderer', 'segment', 'segment'] as const),
      behind: dice.below(waits + 2),
    })),
    ...(dice.chance(0.15) ? { cancel: { after: dice.below(150), at: dice.below(2) } } : {}),
  };
}

const decision = (dice: Random): PlannedDecision => ({
  word: dice.pick(['yes', 'yes', 'no', 'edited'] as const),
  way: dice.pick(WAYS),
  contrary: dice.chance(0.2),
  ...(dice.chance(0.25) ? { hasty: dice.below(15) } : {}),
});

/** The thread that a story is played on, and back. */
export const threadOf = ({ seed }: FaultStory): string => `story-${seed}`;
export const storyOn = (threadId: string): FaultStory => storyOf(Number(threadId.slice('story-'.length)));

/** What a gated call of a story acts on: nothing else does. */
export const orderOf = ({ seed }: FaultStory, turn: number, call: number): number => seed * 100 + turn * 10 + call;
/** Before anybody edits it. */
export const AMOUNT = 5;
export const EDITED = 7;
