import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { RunNotResumableError } from '../contracts/errors/run-not-resumable.error.js';
import { RunDispatcher } from '../contracts/ports/run.dispatcher.js';
import { AgentRunner } from './agent.runner.js';

/** Resumes runs in this process. */
@Injectable()
export class LocalDispatcher extends RunDispatcher {
  // The runner decides approvals, and approvals dispatch runs: only one of the two can be injected.
  constructor(private readonly modules: ModuleRef) {
    super();
  }

  override async dispatch(runId: string): Promise<void> {
    const runner = this.modules.get(AgentRunner, { strict: false });
    try {
      await runner.proceed(runId).started;
    } catch (error) {
      // Somebody else resumed it first, which is what was asked for.
      if (!(error instanceof RunNotResumableError)) throw error;
    }
  }
}
