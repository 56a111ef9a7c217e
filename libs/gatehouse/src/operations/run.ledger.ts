import type { OperationFinished } from '../contracts/operation.js';
import type { OperationRecord } from '../contracts/operation.record.js';
import type { RunCounters } from '../contracts/ports/stored.run.js';
import type { RunUsage } from '../contracts/usage.js';

const NO_USAGE: RunUsage = { requests: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 };

/** Counters of a run that has spent nothing. */
export const NO_COUNTERS: RunCounters = { usage: NO_USAGE, retries: {}, refusals: {}, toolRefusals: {} };

/** What one run has spent and what became of its operations. One per run, in memory; its counters are stored with every step. */
export class RunLedger {
  private used: RunUsage;
  private readonly retries: Map<string, number>;
  private readonly refusals: Map<string, number>;
  private readonly toolRefusals: Map<string, number>;
  private readonly retriedInStep: Map<string, number>;
  private readonly failures: OperationFinished[];
  private records: OperationRecord[] = [];

  /** @param failures of before a suspension */
  constructor(counters: RunCounters = NO_COUNTERS, failures: readonly OperationFinished[] = []) {
    this.failures = [...failures];
    this.used = counters.usage;
    this.retries = new Map(Object.entries(counters.retries));
    this.retriedInStep = new Map(Object.entries(counters.retriedInStep ?? {}));
    this.refusals = new Map(Object.entries(counters.refusals));
    this.toolRefusals = new Map(Object.entries(counters.toolRefusals));
  }

  get usage(): RunUsage {
    return this.used;
  }

  /** The calls that failed, as they are now; an output that was not accepted is no failed call. */
  get failedOperations(): readonly OperationFinished[] {
    return Object.freeze([...this.failures]);
  }

  use(more: Partial<RunUsage>): void {
    this.used = Object.freeze({
      requests: this.used.requests + (more.requests ?? 0),
      toolCalls: this.used.toolCalls + (more.toolCalls ?? 0),
      inputTokens: this.used.inputTokens + (more.inputTokens ?? 0),
      outputTokens: this.used.outputTokens + (more.outputTokens ?? 0),
    });
  }

  /** Whether the model may be asked again. Failures of one response count once. */
  spendRetry(tool: string, step: number, allowed: number): boolean {
    const spent = this.retries.get(tool) ?? 0;
    if (this.retriedInStep.get(tool) === step) return spent <= allowed;
    this.retriedInStep.set(tool, step);
    this.retries.set(tool, spent + 1);
    return spent + 1 <= allowed;
  }

  succeeded(tool: string): void {
    this.retries.delete(tool);
    this.retriedInStep.delete(tool);
    this.toolRefusals.delete(tool);
  }

  /** Counts a refusal; returns how often this (tool, digest), and this tool in a row, were refused. */
  refused(tool: string, digest: string): { readonly same: number; readonly inARow: number } {
    const key = `${tool}:${digest}`;
    const same = (this.refusals.get(key) ?? 0) + 1;
    const inARow = (this.toolRefusals.get(tool) ?? 0) + 1;
    this.refusals.set(key, same);
    this.toolRefusals.set(tool, inARow);
    return { same, inARow };
  }

  note(finished: OperationFinished, record: OperationRecord): void {
    this.records.push(record);
    if (finished.status === 'failed' && finished.request.kind === 'tool') this.failures.push(finished);
  }

  /** The records since the last call: whoever takes them stores them. */
  takeRecords(): readonly OperationRecord[] {
    const taken = this.records;
    this.records = [];
    return taken;
  }

  /** Gives back what could not be stored. */
  returnRecords(records: readonly OperationRecord[]): void {
    this.records = [...records, ...this.records];
  }

  counters(): RunCounters {
    return {
      usage: this.used,
      retries: Object.fromEntries(this.retries),
      retriedInStep: this.retriedInStep.size === 0 ? undefined : Object.fromEntries(this.retriedInStep),
      refusals: Object.fromEntries(this.refusals),
      toolRefusals: Object.fromEntries(this.toolRefusals),
    };
  }
}
