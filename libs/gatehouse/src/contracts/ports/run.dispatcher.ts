/** Resumes a run somewhere. The default resumes it here; `@nestjs/bullmq` can do it on a worker. Replace by this DI token. */
export abstract class RunDispatcher {
  /** Resolves once the run was handed over. Dispatching twice is harmless: one take-over wins. */
  abstract dispatch(runId: string): Promise<void>;
}
