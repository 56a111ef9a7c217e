/**
 * That a call was about to start, committed before it did. Without a `tool.executed`, `tool.withdrawn` or `tool.resolved` record that names it, it is
 * open: whether the call had its effect is not known.
 */
export interface OpenIntent {
  readonly id: string;
  readonly runId: string;
  readonly threadId: string;
  readonly operationId: string;
  readonly toolName: string;
  readonly organizationId: string | null;
  readonly principalId: string | null;
  readonly at: Date;
  /** Its run has ended, or its process is gone: nobody but a person can say what became of it. False: it may still be running. */
  readonly unknown: boolean;
}

/** A person's word on an open intent. */
export interface IntentResolution {
  readonly outcome: 'ran' | 'did-not-run';
  readonly by: string;
  readonly note: string;
}
