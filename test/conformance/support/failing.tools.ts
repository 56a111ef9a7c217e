import { Injectable } from '@nestjs/common';
import { Agent, DestructiveTool, Tool, type RunCandidate, type RunContext, type RunExecutor } from 'nest-gatehouse';
import { call } from 'nest-gatehouse/testing';
import { z } from 'zod';
import { lastOperationId, raises } from './output.script.js';

/** What a failing host method throws. */
export class DomainError extends Error {
  override readonly name = 'DomainError';
}

@Injectable()
export class FailingTools {
  readonly ran: string[] = [];
  /** What `fail` throws. */
  thrown: unknown = new DomainError('bad');

  @Tool('Fails')
  fail(): never {
    this.ran.push('fail');
    throw this.thrown as Error;
  }

  @Tool('Works')
  work(): string {
    this.ran.push('work');
    return 'found';
  }

  @DestructiveTool('Needs a person')
  wipe(): string {
    this.ran.push('wipe');
    return 'wiped';
  }
}

/** Fails, waits for a person, then ends with the error of what failed. */
@Agent({ name: 'raiser', output: { schema: z.string(), allowRaise: true } })
export class RaisingAgent implements RunExecutor {
  async execute(run: RunContext): Promise<RunCandidate> {
    if (run.resumed === undefined) {
      await run.callBatch([call('fail')]);
      run.state['failed'] = lastOperationId(run);
      await run.callBatch([call('wipe')]);
    }
    await run.callBatch([raises(run.state['failed'] as string)]);
    if (run.output === undefined) throw new Error('The raise was not accepted.');
    return run.output;
  }
}
