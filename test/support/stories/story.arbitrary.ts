import fc from 'fast-check';

import {
  CHILDREN,
  MANNERS,
  PIECES,
  TOOLS,
  VALUES,
  type Speech,
  type StateChange,
  type Story,
  type StoryCall,
  type Turn,
} from './story.js';

const keysOf = <T extends object>(table: T): (keyof T)[] => Object.keys(table) as (keyof T)[];

/** One of these; the last, which is long or ends the run, only now and then. */
const rarelyLast = <T>(choices: readonly T[], weight = 8): fc.Arbitrary<T> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight, arbitrary: fc.constantFrom(...choices.slice(0, -1)) },
    { weight: 1, arbitrary: fc.constant(choices.at(-1) as T) },
  );

const value = rarelyLast(keysOf(VALUES), 24);

const speech: fc.Arbitrary<Speech> = fc.record({
  kind: fc.constantFrom('text', 'reasoning'),
  manner: fc.constantFrom(...MANNERS),
  pieces: fc.array(rarelyLast(keysOf(PIECES), 24), { maxLength: 4 }),
});

const call: fc.Arbitrary<StoryCall> = fc.record({
  tool: fc.constantFrom(...TOOLS),
  value,
  child: fc.constantFrom(...CHILDREN),
  answer: fc.constantFrom('approve', 'deny', 'cancel'),
  decision: rarelyLast(['accept', 'accept', 'accept', 'reject', 'abort'] as const, 12),
});

const change: fc.Arbitrary<StateChange> = fc.record({
  key: fc.constantFrom('a', 'b/c', 'list', 'password', 'constructor'),
  how: fc.constantFrom('set', 'append', 'delete'),
  value: fc.oneof(fc.nat(9), value),
});

const turn: fc.Arbitrary<Turn> = fc.record({
  speeches: fc.array(speech, { maxLength: 3 }),
  state: fc.array(change, { maxLength: 3 }),
  custom: fc.option(value, { nil: undefined, freq: 3 }),
  calls: fc.array(call, { maxLength: 4 }),
  tokens: fc.nat(20),
  incident: rarelyLast([undefined, 'throw', 'cancel'] as const, 1).chain((incident) =>
    fc.constantFrom(undefined, undefined, undefined, undefined, incident),
  ),
});

/** Any story. */
export const stories: fc.Arbitrary<Story> = fc.array(turn, { minLength: 1, maxLength: 4 });
