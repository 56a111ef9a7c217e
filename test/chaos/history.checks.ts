import type { ThreadMessage } from 'nest-gatehouse';
import { providerProblems } from '../approvals/strict.provider.js';
import { sqlOn } from '../conformance/support/sql.js';

/** Threads that a strict model provider would refuse: calls without a result, with two, in another order. */
export async function historyProblems(url: string): Promise<readonly string[]> {
  const rows = await sqlOn<{ thread_id: string; body: string }>(
    url,
    'select thread_id, body from gatehouse.thread_message order by thread_id, position',
  );
  const threads = new Map<string, ThreadMessage[]>();
  for (const { thread_id: thread, body } of rows)
    threads.set(thread, [...(threads.get(thread) ?? []), messageIn(body)]);
  return [...threads].flatMap(([thread, messages]) =>
    providerProblems(messages).map((problem) => `the history of ${thread}: ${problem}`),
  );
}

/** Stored as `[version, message]`. */
const messageIn = (body: string): ThreadMessage => (JSON.parse(body) as [number, ThreadMessage])[1];
