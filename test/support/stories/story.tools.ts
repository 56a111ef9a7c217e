import { Injectable, Module } from '@nestjs/common';
import {
  AgentRunner,
  Decide,
  DestructiveTool,
  Inspector,
  Tool,
  type OperationInspector,
  type OperationRequest,
  type RunExecutor,
  type ToolCall,
} from 'nest-gatehouse';
import { call as proposes, says, scriptedExecutor } from 'nest-gatehouse/testing';

import { Gate } from '../../e2e/support/gate.js';
import { changeState } from './story.executor.js';
import { VALUES, type Told } from './story.js';

const parameters = { type: 'object' };

/** Tools whose arguments say what becomes of them. */
@Injectable()
export class StoryTools {
  /** Holds the child runs that are left to themselves. */
  left = new Gate();

  constructor(private readonly runner: AgentRunner) {}

  @Tool({ description: 'Finds something', parameters })
  find({ value }: Told): unknown {
    return VALUES[value]();
  }

  @Tool({ description: 'Fails', parameters })
  fail(_: Told): never {
    throw new Error('connect ECONNREFUSED postgres://desk:hunter2@10.0.0.1/desk');
  }

  @DestructiveTool({ description: 'Needs a person', parameters })
  gated({ value }: Told): unknown {
    return VALUES[value]();
  }

  @Tool({ description: 'Changes the state', parameters })
  remember({ value }: Told, call: ToolCall): string {
    changeState(call.state, [
      { key: 'list', how: 'append', value },
      { key: 'b/c', how: 'set', value: call.attempt },
    ]);
    return 'noted';
  }

  @Tool({ description: 'Starts a run', parameters })
  async nest({ child, value }: Told): Promise<unknown> {
    const run = this.runner.start({ agent: this.childOf(child, value), input: 'go' });
    if (child !== 'is left') return run.result();
    await run.started;
    return 'left';
  }

  private childOf(child: Told['child'], value: Told['value']): RunExecutor {
    if (child === 'fails') return { execute: () => Promise.reject(new Error('kaboom')) };
    if (child === 'calls') return scriptedExecutor([[proposes('find', { value })], [says('done')]]);
    const left = this.left;
    return {
      execute: async (run) => {
        if (child === 'is left') await left.pass(run.signal);
        return { value: VALUES[value]() };
      },
    };
  }
}

/** Decides what the arguments of the call say. */
@Inspector()
class StoryInspector implements OperationInspector {
  inspectOperation({ args }: OperationRequest) {
    const { decision } = args as Partial<Told>;
    if (decision === 'reject') return Decide.reject('Not this one.');
    return decision === 'abort' ? Decide.abort('Enough.') : Decide.accept();
  }
}

@Module({ providers: [StoryTools, StoryInspector] })
export class StoryModule {}
