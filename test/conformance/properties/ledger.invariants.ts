import type { OperationRecord } from 'nest-gatehouse';
import { executed, sorted, type Performance } from './performance.js';

/** Every proposal has one row, and whatever it was redirected to one more, in a chain; the model and the stream get one answer for it. */
export const oneTerminalStatusEach = (performance: Performance): void => {
  const { events, rows, facts } = performance;
  const proposals = events.flatMap((event) => (event.type === 'tool.start' ? event : []));
  const answers = events.flatMap((event) => (event.type === 'tool.result' ? event.toolCallId : []));
  expect(answers.toSorted()).toEqual(proposals.map(({ toolCallId }) => toolCallId).toSorted());
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  // What an output calls is an operation inside it, not a proposal of its own.
  const origins = rows.filter((row) => row.redirectedFromOperationId === null && row.parentOperationId === null);
  expect(origins.map(({ id }) => id).toSorted()).toEqual(proposals.map(({ operationId }) => operationId).toSorted());
  for (const row of rows) expectLinked(row, rows);
  expect(facts.map(told).toSorted()).toEqual(rows.map(kept).toSorted());
  expect(performance.terminals.map(({ status }) => status)).toEqual([performance.outcome.status]);
};

const told = ({ request, status, outcome }: Performance['facts'][number]) =>
  `${request.operationId} ${status} ${outcome}`;
const kept = ({ id, status, outcome }: OperationRecord) => `${id} ${status} ${outcome}`;

const expectLinked = (row: OperationRecord, rows: readonly OperationRecord[]): void => {
  const from = row.redirectedFromOperationId;
  if (from === null) return;
  const origin = rows.find(({ id }) => id === from);
  expect(origin).toMatchObject({ step: row.step, position: row.position, toolCallId: row.toolCallId });
  expect(['redirected', 'completed', 'failed']).toContain(origin?.status);
  expect(rows.filter(({ redirectedFromOperationId }) => redirectedFromOperationId === from)).toHaveLength(1);
};

const nameOf = (thrown: unknown) => (thrown as Error | undefined)?.name;

/** One execution record for each started method, about that start; a run that did not complete has one more, of its own. */
export const oneRecordForEachStart = (performance: Performance): void => {
  const { starts, executions, rows, outcome } = performance;
  const counted = starts.filter(executed);
  const records = executions.filter(({ kind }) => kind === 'tool');
  // Side by side they settle in an order of their own.
  expect(
    records.map((record) => `${record.operationId} ${record.argumentsRepr} ${failureOf(record.error)}`).toSorted(),
  ).toEqual(
    counted
      .map(({ operationId, args, threw }) => `${operationId} ${redacted(args)} ${failureOf(nameOf(threw))}`)
      .toSorted(),
  );
  expect(executions.length - records.length).toBe(outcome.status === 'completed' ? 0 : 1);
  for (const { id, executionStarted } of rows) {
    const inside = rows.filter(({ parentOperationId }) => parentOperationId === id);
    const own = [id, ...inside.map((row) => row.id)];
    expect([id, executionStarted]).toEqual([id, counted.some(({ operationId }) => own.includes(operationId))]);
  }
};

/** A spent budget is recorded as what it is; the method threw the retry signal. */
const failureOf = (error: string | null | undefined): string =>
  (error ?? 'ok').split(':')[0]?.replace('RetryBudgetExceededError', 'ToolRetryError') ?? '';

const redacted = (args: string): string => {
  const read = JSON.parse(args) as object;
  return sorted('password' in read ? { ...read, password: '[redacted]' } : read);
};

/** A skipped row names the operation of its response that rejected or ended; nobody only for a limit and a cancel. */
export const skippedByWhatBlocked = ({ rows, terminals }: Performance): void => {
  const [terminal] = terminals;
  for (const row of rows.filter(({ status }) => status === 'skipped')) {
    const { blockedByOperationId: by, step, decidedBy } = row;
    if (by === null) {
      expect([decidedBy, terminal?.stage === 'limit' || terminal?.status === 'cancelled']).toEqual(['limit', true]);
      continue;
    }
    const blocker = rows.find(({ id }) => id === by);
    expect(blocker).toMatchObject({ step });
    expect(decidedBy).toBe('barrier');
    if (isBarrier(row, blocker)) continue;
    expect(blocker?.status).not.toBe('skipped');
    expect(terminal?.status).not.toBe('completed');
    expect(rows.filter((other) => other.step > step)).toEqual([]);
  }
};

/**
 * What blocks without ending the run: a rejection, an output that was chosen; for an output also one
 * before it that was valid, and a call that waits for a person, or for a result from outside.
 */
const isBarrier = (row: OperationRecord, blocker: OperationRecord | undefined): boolean =>
  blocker?.status === 'rejected' ||
  (blocker?.kind === 'output' && (blocker.status === 'completed' || row.kind === 'output')) ||
  (row.kind === 'output' && (typeof blocker?.approvalId === 'string' || blocker?.decidedBy === 'external'));
