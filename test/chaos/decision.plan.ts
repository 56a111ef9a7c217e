import { BOB, CAT, STRANGERS } from './people.js';
import type { Random } from './random.js';
import type { Person } from './server.pair.js';

/** One answer that is posted. `honest`: it may count; the others never do. */
export interface PlannedAnswer {
  readonly kind: 'honest' | 'wrong digest' | 'unknown id' | 'stranger' | 'forged field' | 'no answer';
  readonly by: Person;
  readonly server: number;
  readonly approved: boolean;
  /** Added to the amount that was shown. */
  readonly raise?: number;
  /** Through the AG-UI interrupt, not through the inbox. */
  readonly interrupt?: boolean;
}

/** What is posted at once for one approval, to both servers. */
export interface DecisionPlan {
  readonly name: string;
  readonly answers: readonly PlannedAnswer[];
  /** While the run may still be on its way to its suspension. */
  readonly early: boolean;
}

type Honest = Omit<PlannedAnswer, 'kind' | 'server'>;

const yes: Honest = { by: BOB, approved: true };
const no: Honest = { by: BOB, approved: false };

const STORIES: readonly { readonly name: string; readonly said: readonly Honest[] }[] = [
  { name: 'approved', said: [yes] },
  { name: 'approved', said: [yes] },
  { name: 'denied', said: [no] },
  { name: 'approved twice', said: [yes, yes] },
  { name: 'approved twice', said: [yes, yes] },
  { name: 'denied twice', said: [no, no] },
  { name: 'approved by two', said: [yes, { ...yes, by: CAT }] },
  { name: 'yes against no', said: [yes, { ...no, by: CAT }] },
  { name: 'yes against own no', said: [yes, no] },
  { name: 'edited', said: [{ ...yes, raise: 100 }] },
  {
    name: 'edited twice',
    said: [
      { ...yes, raise: 100 },
      { ...yes, raise: 100 },
    ],
  },
  {
    name: 'edited against as shown',
    said: [
      { ...yes, raise: 100 },
      { ...yes, by: CAT },
    ],
  },
  {
    name: 'edited two ways',
    said: [
      { ...yes, raise: 100 },
      { ...yes, by: CAT, raise: 200 },
    ],
  },
  { name: 'by the interrupt', said: [{ ...yes, interrupt: true }] },
  {
    name: 'by the interrupt twice',
    said: [
      { ...yes, interrupt: true },
      { ...yes, interrupt: true },
    ],
  },
  {
    name: 'interrupt against inbox',
    said: [
      { ...yes, interrupt: true },
      { ...no, by: CAT },
    ],
  },
  { name: 'left alone', said: [] },
];

/** What happens to one approval, drawn from the seed. */
export function planDecision(random: Random): DecisionPlan {
  const { name, said } = random.pick(STORIES);
  const first = random.below(2);
  const honest = said.map((one, at) => ({ ...one, kind: 'honest' as const, server: first + at }));
  const forged = Array.from({ length: random.below(4) }, () => forgery(random));
  return { name, early: random.chance(0.5), answers: random.shuffled([...honest, ...forged]) };
}

function forgery(random: Random): PlannedAnswer {
  const kind = random.pick([
    'wrong digest',
    'unknown id',
    'stranger',
    'stranger',
    'forged field',
    'no answer',
  ] as const);
  const by = kind === 'stranger' ? random.pick(STRANGERS) : random.pick([BOB, CAT]);
  return { kind, by, server: random.below(2), approved: kind === 'forged field' || random.chance(0.7) };
}
