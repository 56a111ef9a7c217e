/** What a job says: the run's id and nothing else. Everything about the run is read where it is stored. */
export interface RunJob {
  readonly runId: string;
}

/** The queue's name where `RunQueueOptions` give none. */
export const RUN_QUEUE = 'gatehouse-runs';
