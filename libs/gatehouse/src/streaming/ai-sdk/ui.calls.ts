import type { JsonValue } from '../../contracts/json.js';
import type { AnnouncedApproval, RunEvent } from '../../contracts/run.events.js';
import type { UiChunk } from './ui.chunk.js';
import { outputOf, parsed } from './ui.values.js';

type Result = Extract<RunEvent, { type: 'tool.result' }>;

interface OpenCall {
  readonly toolName: string;
  readonly args: string;
}

/** The calls that a client is told: their arguments as a whole, whether they wait, what they came to. */
export class UiCalls {
  private readonly open = new Map<string, OpenCall>();
  private readonly started = new Set<string>();
  /** Approvals of earlier segments, by call. */
  private readonly asked = new Map<string, string>();

  start(toolCallId: string, toolName: string): readonly UiChunk[] {
    this.open.set(toolCallId, { toolName, args: '' });
    this.started.add(toolCallId);
    return [{ type: 'tool-input-start', toolCallId, toolName }];
  }

  args(toolCallId: string, delta: string): void {
    const call = this.open.get(toolCallId);
    if (call !== undefined) this.open.set(toolCallId, { ...call, args: call.args + delta });
  }

  end(toolCallId: string): readonly UiChunk[] {
    const call = this.open.get(toolCallId);
    if (call === undefined) return [];
    this.open.delete(toolCallId);
    const input: JsonValue = call.args === '' ? {} : (parsed(call.args) ?? call.args);
    return [{ type: 'tool-input-available', toolCallId, toolName: call.toolName, input }];
  }

  /** An approval that was asked for and is settled: nobody is to be asked again. */
  settled({ id, toolCallId }: AnnouncedApproval): void {
    this.asked.set(toolCallId, id);
  }

  waits({ id: approvalId, toolCallId }: AnnouncedApproval): UiChunk {
    return { type: 'tool-approval-request', approvalId, toolCallId };
  }

  result({ toolCallId, status, outcome, content }: Result): readonly UiChunk[] {
    if (outcome === 'success') return [{ type: 'tool-output-available', toolCallId, output: outputOf(content) }];
    if (!this.waited(toolCallId) || (status !== 'denied' && status !== 'expired'))
      return [{ type: 'tool-output-error', toolCallId, errorText: content }];
    const approvalId = this.asked.get(toolCallId);
    const request: readonly UiChunk[] =
      approvalId === undefined ? [] : [{ type: 'tool-approval-request', approvalId, toolCallId }];
    // A client shows a denial as the answer to a request, which one that hears all from the beginning has not seen.
    return [...request, { type: 'tool-output-denied', toolCallId }];
  }

  /** A call that this stream did not start was announced by an earlier segment, which ended because it waits. */
  private waited(toolCallId: string): boolean {
    return this.asked.has(toolCallId) || !this.started.has(toolCallId);
  }
}
