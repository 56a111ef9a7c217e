/**
 * Has a queued run begun, or a suspended one resumed, somewhere. The default does it here; `nest-gatehouse/bullmq` on a worker. Replace by this DI
 * token; whoever a run is handed to calls `AgentRunner.proceed`.
 */
export abstract class RunDispatcher {
  /** Resolves once the run was handed over. Dispatching twice is harmless: one take-over wins. */
  abstract dispatch(runId: string): Promise<void>;
}
