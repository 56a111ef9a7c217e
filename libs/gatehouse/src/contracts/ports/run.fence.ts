/** A run's owner, as every write of it is guarded: run id and epoch. */
export interface Fence {
  readonly runId: string;
  readonly epoch: number;
}

/** The fence as the pipeline holds it: also says whether anything may still start. */
export interface RunFence extends Fence {
  /** Throws the cancel or `LeaseLostError` when nothing may start any more. */
  check(): void;
  /** Whether no other process can own the run yet. Absent: none ever can. */
  isHeld?(): boolean;
}
