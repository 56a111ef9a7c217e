import type { ThreadMessage } from 'nest-gatehouse';
import type { ExecutorLine } from 'nest-gatehouse/testing';

/**
 * What a strict model provider says of a history: each call of an assistant has exactly one result, in the message right behind it, in the order of
 * the calls, and there is no result of anything else.
 */
export function providerProblems(messages: readonly ThreadMessage[]): readonly string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  messages.forEach((message, at) => {
    if (message.role === 'assistant') problems.push(...callProblems(message, messages[at + 1], seen));
    const before = messages[at - 1];
    if (message.role === 'tool' && (before?.role !== 'assistant' || before.calls.length === 0)) {
      problems.push(`message ${at}: results of no call`);
    }
  });
  return problems;
}

function callProblems(
  { calls }: Extract<ThreadMessage, { role: 'assistant' }>,
  next: ThreadMessage | undefined,
  seen: Set<string>,
): string[] {
  const problems = calls
    .filter(({ toolCallId }) => seen.has(toolCallId))
    .map(({ toolCallId }) => `${toolCallId} twice`);
  calls.forEach(({ toolCallId }) => seen.add(toolCallId));
  const asked = calls.map(({ toolCallId }) => toolCallId);
  const answered = next?.role === 'tool' ? next.results.map(({ toolCallId }) => toolCallId) : [];
  if (asked.join() !== answered.join()) problems.push(`calls [${asked.join()}] are answered by [${answered.join()}]`);
  return problems;
}

/** The same script at a provider that answers 400 to a history that does not hold together. */
export function strictly(lines: readonly ExecutorLine[]): readonly ExecutorLine[] {
  return lines.map((line): ExecutorLine => (run) => {
    const problems = providerProblems(run.messages);
    if (problems.length > 0) throw new Error(`400: ${problems.join('; ')}`);
    return typeof line === 'function' ? line(run) : line;
  });
}
