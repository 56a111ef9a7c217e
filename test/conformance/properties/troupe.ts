import { setImmediate as turn } from 'node:timers/promises';
import { ForbiddenException, Injectable } from '@nestjs/common';
import { IsInt, IsString } from 'class-validator';
import {
  ApprovalRequired,
  CallDeferred,
  RequireApproval,
  SkipToolExecution,
  TerminalOperationError,
  Tool,
  ToolCall,
  ToolFailedError,
  ToolRetryError,
  type AuditEvent,
  type AuditLogger,
} from 'nest-gatehouse';
import { z } from 'zod';
import { sorted, type Performance, type Start } from './performance.js';

/** What a driver throws: nothing of it may reach a model or a client. */
export class DriverError extends Error {
  override readonly name = 'DriverError';

  constructor(where: string) {
    super(`canary-driver ${where} postgres://desk:hunter2@10.0.0.1/desk`);
  }
}

/** What no model may handle. */
export class HostStop extends TerminalOperationError {}

/** The performances under way, by run. */
@Injectable()
export class Performances implements AuditLogger {
  private readonly byRun = new Map<string, Performance>();
  private readonly records = new Map<string, AuditEvent[]>();

  begin(performance: Performance): void {
    this.byRun.set(performance.runId, performance);
    this.records.set(performance.runId, []);
  }

  of(runId: string): Performance {
    const found = this.byRun.get(runId);
    if (found === undefined) throw new Error(`Nobody performs in run ${runId}.`);
    return found;
  }

  record(event: AuditEvent): void {
    this.records.get(event.runId)?.push(event);
  }

  executions(runId: string): readonly AuditEvent[] {
    return [...(this.records.get(runId) ?? [])];
  }

  end(runId: string): void {
    this.byRun.delete(runId);
    this.records.delete(runId);
  }
}

class CastDto {
  @IsString()
  who!: string;
  @IsInt()
  n!: number;
  @IsInt()
  x!: number;
  @IsString()
  password!: string;
}

const parameters = z.strictObject({ who: z.string(), n: z.int(), x: z.int(), password: z.string() });
type Args = z.infer<typeof parameters>;

/** One tool for each way in which a method can go on. */
@Injectable()
export class Troupe {
  constructor(private readonly performances: Performances) {}

  @Tool({ parameters })
  read(args: Args, call: ToolCall): object {
    this.start(args, call);
    return { x: args.x, token: `canary-result-${args.who}` };
  }

  @Tool('Reads, described by a class')
  readDto(args: CastDto, call: ToolCall): object {
    return this.read(args, call);
  }

  @Tool({ parameters })
  async slow(args: Args, call: ToolCall): Promise<object> {
    const result = this.read(args, call);
    for (let turns = 0; turns < 3; turns += 1) await turn();
    return result;
  }

  @Tool({ parameters })
  @RequireApproval({ editable: ['x'] })
  gated(args: Args, call: ToolCall): object {
    return this.read(args, call);
  }

  @Tool('Reads, described by a class')
  @RequireApproval({ editable: ['x'] })
  gatedDto(args: CastDto, call: ToolCall): object {
    return this.read(args, call);
  }

  @Tool({ parameters })
  async fail(args: Args, call: ToolCall): Promise<never> {
    return this.raise(args, call, new DriverError('tool'));
  }

  @Tool({ parameters })
  refuse(args: Args, call: ToolCall): never {
    return this.raise(args, call, new RangeError('canary-driver out of range'));
  }

  @Tool({ parameters })
  closed(args: Args, call: ToolCall): never {
    return this.raise(args, call, new ToolFailedError('The order is closed.'));
  }

  @Tool({ parameters })
  retry(args: Args, call: ToolCall): never {
    return this.raise(args, call, new ToolRetryError('Say which one.'));
  }

  @Tool({ parameters })
  veto(args: Args, call: ToolCall): never {
    return this.raise(args, call, new SkipToolExecution('vetoed'));
  }

  @Tool({ parameters })
  ask(args: Args, call: ToolCall): object {
    const start = this.start(args, call);
    if (call.approval === undefined) this.performances.of(call.runId).raise(new ApprovalRequired(), start);
    return { x: args.x };
  }

  @Tool({ parameters })
  defer(args: Args, call: ToolCall): never {
    return this.raise(args, call, new CallDeferred());
  }

  @Tool({ parameters })
  deny(args: Args, call: ToolCall): never {
    return this.raise(args, call, new ForbiddenException('canary-driver not yours'));
  }

  @Tool({ parameters })
  end(args: Args, call: ToolCall): never {
    return this.raise(args, call, new HostStop('canary-driver stop'));
  }

  /** Cancels its own run, and settles as a method should. */
  @Tool({ parameters })
  async cancel(args: Args, call: ToolCall): Promise<never> {
    const start = this.start(args, call);
    this.performances.of(call.runId).cancel();
    await turn();
    start.threw = call.signal.reason;
    throw call.signal.reason as Error;
  }

  /** Cancels its own run, and goes on as if nothing were. */
  @Tool({ parameters })
  async cancelDeaf(args: Args, call: ToolCall): Promise<object> {
    const result = this.read(args, call);
    this.performances.of(call.runId).cancel();
    await turn();
    return result;
  }

  private start(args: unknown, call: ToolCall): Start {
    const start = { operationId: call.operationId, toolName: call.toolName, args: sorted(args) };
    this.performances.of(call.runId).moments.push({ kind: 'start', start });
    return start;
  }

  private raise(args: unknown, call: ToolCall, error: Error): never {
    return this.performances.of(call.runId).raise(error, this.start(args, call));
  }
}
