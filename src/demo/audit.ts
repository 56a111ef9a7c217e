import type { AuditEvent, Page } from 'nest-gatehouse';
import { setTimeout as pause } from 'node:timers/promises';
import { DemoFailure } from './demo.failure.js';
import type { Story } from './story.js';
import { table } from './table.js';

const LONGEST_WAIT_MS = 10_000;
const POLL_MS = 50;
const LONGEST_CELL = 48;

const COLUMNS = ['kind', 'toolName', 'argumentsRepr', 'success', 'durationMs', 'principalId', 'error'] as const;

/** The page of a run's evidence once it holds `count` entries: evidence may come a moment after what it is about. */
export async function evidenceOf<T>(
  { desk }: Story,
  what: string,
  runId: string,
  count: number,
): Promise<readonly T[]> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const { items } = await desk.get<Page<T>>('auditor', `agent/audit/${what}?runId=${runId}`);
    if (items.length >= count) return items;
    if (performance.now() > deadline)
      throw new DemoFailure(`Expected ${count} ${what} of run ${runId}, saw ${items.length}.`);
    await pause(POLL_MS);
  }
}

/** Shows execution records, oldest first. */
export function tellExecutions({ tell }: Story, rows: readonly AuditEvent[]): void {
  const shown = rows.toReversed().map((row) => ({
    ...row,
    argumentsRepr: cut(row.argumentsRepr),
    durationMs: row.durationMs.toFixed(2),
  }));
  tell(table(shown, COLUMNS));
}

const cut = (text: string): string => (text.length > LONGEST_CELL ? `${text.slice(0, LONGEST_CELL)}…` : text);
