import type { AuditEvent } from '../../contracts/audit.event.js';
import type { OperationFinished } from '../../contracts/operation.js';
import type { OperationRecord } from '../../contracts/operation.record.js';
import type { Ownership, RunEnding, StepProgress } from '../../contracts/ports/run.store.js';
import type { NewAnswer, NewDeferral } from '../../contracts/ports/stored.deferral.js';
import type { NewApproval, NewVote } from '../../contracts/ports/stored.approval.js';
import type { NewRun, RunCounters, StoredRun } from '../../contracts/ports/stored.run.js';
import type { StoredResult, StoredStep } from '../../contracts/ports/stored.step.js';
import type { RunFrame } from '../../contracts/run.events.js';
import type { TerminalRecord } from '../../contracts/terminal.record.js';
import type { ThreadMessage } from '../../contracts/thread.message.js';
import { newId } from '../../values/ids.js';

export const ME: Ownership = { owner: 'process-1', leaseMs: 2000 };
export const OTHER: Ownership = { owner: 'process-2', leaseMs: 2000 };

const AT = new Date('2026-03-04T05:06:07.089Z');

export function aRun(changes: Partial<NewRun> = {}): NewRun {
  const id = changes.id ?? newId();
  return {
    id,
    threadId: `thread-${id}`,
    agent: 'support',
    local: false,
    segment: `segment-${id}`,
    user: { id: 'ann', organizationId: 'acme', roles: ['support'] },
    organizationId: 'acme',
    ipAddress: '10.0.0.1',
    instructions: 'Be brief.',
    tools: ['lookup', 'refund'],
    limits: LIMITS,
    digestKey: 'a2V5',
    state: { seen: 1 },
    ...changes,
  };
}

const LIMITS: NewRun['limits'] = {
  steps: 50,
  toolCalls: 200,
  callsPerResponse: 64,
  toolRetries: 1,
  outputRetries: 1,
  redirects: 1,
  repeatedRefusals: 3,
  toolRefusals: 5,
  pendingApprovals: 20,
  depth: 5,
  parallelToolCalls: 8,
  decisionTimeout: 30_000,
};

export function counters(requests: number): RunCounters {
  return {
    usage: { requests, toolCalls: requests, inputTokens: 10 * requests, outputTokens: requests },
    retries: { lookup: 1 },
    refusals: {},
    toolRefusals: {},
  };
}

/** Text events with the given numbers. */
export function textFrames(...seqs: number[]): RunFrame[] {
  return seqs.map((seq) => ({ seq, event: { type: 'text.delta', messageId: 'm', delta: `delta ${seq}` } }));
}

export function startedFrame(run: NewRun, seq = 1): RunFrame {
  return { seq, event: { type: 'run.started', runId: run.id, threadId: run.threadId, segment: run.segment } };
}

export const userMessage = (text: string, id = newId()): ThreadMessage => ({ id, role: 'user', text });

export function aStep(run: Pick<StoredRun, 'id'>, step = 1): StoredStep {
  return {
    runId: run.id,
    step,
    text: 'I will refund it.',
    messageId: `message-${step}`,
    operations: [
      {
        operationId: newId(),
        toolCallId: 'call-1',
        toolName: 'refund',
        position: 0,
        received: '{"order":1}',
        voided: 0,
        startedAt: AT.toISOString(),
      },
    ],
  };
}

export function progress(step: StoredStep, changes: Partial<StepProgress> = {}): StepProgress {
  return {
    step,
    messages: [{ id: newId(), role: 'assistant', text: step.text, calls: [] }],
    operations: [],
    state: { seen: 2 },
    counters: counters(step.step),
    ...changes,
  };
}

export function anApproval(run: Pick<StoredRun, 'id' | 'threadId'>, changes: Partial<NewApproval> = {}): NewApproval {
  return {
    id: newId(),
    runId: run.id,
    threadId: run.threadId,
    operationId: newId(),
    toolCallId: 'call-1',
    toolName: 'refund',
    toolFingerprint: 'fingerprint',
    received: '{"order":1,"secret":"s3"}',
    validated: '{"order":1,"secret":"s3"}',
    argumentsDigest: 'digest-1',
    shown: { order: 1, secret: '[redacted]' },
    hidden: ['/secret'],
    summary: 'Refund order 1',
    risk: 'high',
    organizationId: 'acme',
    requestedBy: 'ann',
    approvers: { roles: ['finance'] },
    editable: ['order'],
    expiresInMs: 60_000,
    executeWithinMs: 30_000,
    ...changes,
  };
}

export function aDeferral(run: Pick<StoredRun, 'id'>, changes: Partial<NewDeferral> = {}): NewDeferral {
  return {
    operationId: newId(),
    runId: run.id,
    toolCallId: 'call-1',
    toolName: 'print',
    args: { pages: 3, secret: '[redacted]' },
    argumentsDigest: 'digest-1',
    metadata: { queue: 'printers' },
    ...changes,
  };
}

/** What becomes of a claim whose call was handed on. */
export const WITHDRAWN: StoredResult = { status: 'deferred', outcome: 'skipped', content: 'handed on' };

export function anAnswer({ operationId }: Pick<NewDeferral, 'operationId'>): NewAnswer {
  const result = { status: 'deferred', outcome: 'success', content: '{"printed":3}' } as const;
  return { operationId, result, resultDigest: 'digest-of-result', answeredBy: 'ann' };
}

export function yes(approvalId: string, principalId = 'bob', changes: Partial<NewVote> = {}): NewVote {
  return { approvalId, principalId, approved: true, ...changes };
}

export function no(approvalId: string, principalId = 'bob', changes: Partial<NewVote> = {}): NewVote {
  return { approvalId, principalId, approved: false, ...changes };
}

export function anExecution(run: Pick<NewRun, 'id' | 'threadId'>, changes: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id: newId(),
    kind: 'tool',
    toolName: 'refund',
    argumentsRepr: '{"order":1}',
    durationMs: 12.25,
    success: true,
    error: null,
    resultSize: 4,
    organizationId: 'acme',
    targetType: 'order',
    targetId: '1',
    ipAddress: '10.0.0.1',
    runId: run.id,
    threadId: run.threadId,
    operationId: newId(),
    principalId: 'ann',
    late: false,
    startedAt: AT,
    finishedAt: new Date(AT.getTime() + 12),
    ...changes,
  };
}

export function anOperation(
  run: Pick<NewRun, 'id' | 'threadId'>,
  changes: Partial<OperationRecord> = {},
): OperationRecord {
  return {
    id: newId(),
    runId: run.id,
    threadId: run.threadId,
    step: 1,
    position: 0,
    kind: 'tool',
    toolName: 'refund',
    toolCallId: 'call-1',
    argumentsRepr: '{"order":1}',
    argumentsDigest: 'digest-1',
    executedDigest: 'digest-2',
    status: 'completed',
    outcome: 'success',
    executionStarted: true,
    decidedBy: null,
    reason: null,
    guidance: null,
    blockedByOperationId: null,
    redirectedFromOperationId: null,
    approvalId: null,
    error: null,
    shadowed: [{ hook: 'Budget', decision: 'skip' }],
    organizationId: 'acme',
    principalId: 'ann',
    parentOperationId: null,
    startedAt: AT,
    finishedAt: new Date(AT.getTime() + 20),
    durationMs: 19.5,
    ...changes,
  };
}

export function anEnding(run: Pick<NewRun, 'id' | 'threadId'>, changes: Partial<RunEnding> = {}): RunEnding {
  return {
    record: aTerminal(run),
    operations: [],
    messages: [],
    state: { seen: 3 },
    counters: counters(2),
    ...changes,
  };
}

export function aTerminal(run: Pick<NewRun, 'id' | 'threadId'>, changes: Partial<TerminalRecord> = {}): TerminalRecord {
  return {
    id: newId(),
    runId: run.id,
    threadId: run.threadId,
    agent: 'support',
    status: 'completed',
    stage: null,
    error: null,
    source: null,
    reason: null,
    organizationId: 'acme',
    principalId: 'ann',
    parentRunId: null,
    parentOperationId: null,
    failedOperations: [],
    usage: { requests: 2, toolCalls: 1, inputTokens: 20, outputTokens: 5 },
    startedAt: AT,
    finishedAt: new Date(AT.getTime() + 100),
    ...changes,
  };
}

/** A finished operation, as a terminal record lists failed ones. */
export function aFailedOperation(run: Pick<NewRun, 'id' | 'threadId'>, operationId: string): OperationFinished {
  return {
    request: {
      operationId,
      runId: run.id,
      threadId: run.threadId,
      step: 1,
      position: 0,
      kind: 'tool',
      toolName: 'refund',
      args: {},
      argumentsDigest: 'digest-1',
      approved: false,
      state: {},
    },
    status: 'failed',
    outcome: 'failed',
    executionStarted: true,
    shadowed: [],
    exception: new Error('not stored'),
    startedAt: AT,
    finishedAt: AT,
    durationMs: 1,
  };
}
