/** Where a process is lost, and what must be true afterwards, once somebody has looked after it. */
export interface CrashPoint {
  readonly point: string;
  /** The run; `none`: it never was. */
  readonly run: 'none' | 'interrupted' | 'suspended' | 'completed';
  readonly approval: 'none' | 'pending' | 'unknown' | 'done';
  /** How often the world was changed. */
  readonly effects: 0 | 1;
  /** Lost while it goes on with an approved run, not while it starts one. */
  readonly resuming?: true;
  /** Part of every test run; the rest is for the soak. */
  readonly always?: true;
}

const starting: readonly CrashPoint[] = [
  { point: 'before startRun', run: 'none', approval: 'none', effects: 0 },
  { point: 'after startRun', run: 'interrupted', approval: 'none', effects: 0 },
  { point: 'before appendFrames', run: 'interrupted', approval: 'none', effects: 0 },
  { point: 'after appendFrames', run: 'interrupted', approval: 'none', effects: 0 },
  { point: 'before startStep', run: 'interrupted', approval: 'none', effects: 0 },
  { point: 'after startStep', run: 'interrupted', approval: 'none', effects: 0, always: true },
  { point: 'before requestApproval', run: 'interrupted', approval: 'none', effects: 0 },
  // Everything of the response had asked: it waits, as if it had come to its suspension.
  { point: 'after requestApproval', run: 'suspended', approval: 'pending', effects: 0 },
  { point: 'before suspend', run: 'suspended', approval: 'pending', effects: 0, always: true },
  { point: 'after suspend', run: 'suspended', approval: 'pending', effects: 0, always: true },
];

const going: readonly Omit<CrashPoint, 'resuming'>[] = [
  { point: 'before vote', run: 'suspended', approval: 'pending', effects: 0 },
  // The decision stands: somebody goes on with the run.
  { point: 'after vote', run: 'completed', approval: 'done', effects: 1 },
  { point: 'before takeOver', run: 'completed', approval: 'done', effects: 1 },
  // Nothing was claimed: it waits again, and somebody goes on with it.
  { point: 'after takeOver', run: 'completed', approval: 'done', effects: 1, always: true },
  { point: 'before claim', run: 'completed', approval: 'done', effects: 1 },
  // Claimed: never a second start, whatever became of the first.
  { point: 'after claim', run: 'interrupted', approval: 'unknown', effects: 0, always: true },
  { point: 'in body', run: 'interrupted', approval: 'unknown', effects: 1, always: true },
  { point: 'before settle', run: 'interrupted', approval: 'unknown', effects: 1 },
  { point: 'after settle', run: 'interrupted', approval: 'done', effects: 1 },
  { point: 'before settleStep', run: 'interrupted', approval: 'done', effects: 1 },
  { point: 'after settleStep', run: 'interrupted', approval: 'done', effects: 1 },
  { point: 'before finish', run: 'interrupted', approval: 'done', effects: 1 },
  { point: 'after finish', run: 'completed', approval: 'done', effects: 1 },
];

/** Before and after each write of a run, in the order they happen. */
export const CRASH_POINTS: readonly CrashPoint[] = [
  ...starting,
  ...going.map((point) => ({ ...point, resuming: true as const })),
];
