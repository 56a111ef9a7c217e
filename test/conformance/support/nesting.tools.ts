import { Injectable } from '@nestjs/common';
import { AgentRunner, DestructiveTool, Tool, type RunHandle, type RunRequest, type ToolCall } from 'nest-gatehouse';

/** Starts a run from inside a tool. */
export type StartChild = (request: Omit<RunRequest, 'input'>) => RunHandle;

/** One tool that starts runs, and some for them to call. */
@Injectable()
export class NestingTools {
  readonly ran: string[] = [];
  readonly children: RunHandle[] = [];
  /** What `nest` does. */
  nesting: (start: StartChild, call: ToolCall) => unknown = () => 'nothing';

  constructor(private readonly runner: AgentRunner) {}

  @Tool({ description: 'Starts a run', parameters: { type: 'object' } })
  nest(_: object, call: ToolCall): unknown {
    this.ran.push('nest');
    return this.nesting((request) => this.start(request), call);
  }

  @Tool({ description: 'Works', parameters: { type: 'object' } })
  work(_: object, call: ToolCall): string {
    this.ran.push(`work for ${call.user?.id} of ${call.organizationId}`);
    return 'found';
  }

  @Tool('Fails')
  fail(): never {
    this.ran.push('fail');
    throw new Error('kaboom');
  }

  @DestructiveTool('Needs a person')
  wipe(): string {
    this.ran.push('wipe');
    return 'wiped';
  }

  @Tool({ description: 'Waits for its signal', parameters: { type: 'object' } })
  async patient(_: object, { signal }: ToolCall): Promise<void> {
    this.ran.push('patient');
    await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  }

  private start(request: Omit<RunRequest, 'input'>): RunHandle {
    const handle = this.runner.start({ input: 'go', ...request });
    this.children.push(handle);
    return handle;
  }
}
