import type { AgUiEvent } from './desk.client.js';
import type { Teller } from './story.js';

const ENDS: Readonly<Record<string, string>> = {
  success: 'the run has succeeded',
  interrupt: 'the run waits for a person; nothing was done yet',
  cancelled: 'the run was cancelled',
};

/** How a segment ended, where it says so. */
export const outcomeOf = (event: AgUiEvent | undefined): string | undefined =>
  (event?.['outcome'] as { readonly type: string } | undefined)?.type;

/** Tells a stream as it arrives, in people's words, and returns its events. */
export async function narrate(events: AsyncIterable<AgUiEvent>, tell: Teller): Promise<readonly AgUiEvent[]> {
  const seen: AgUiEvent[] = [];
  let text = '';
  for await (const event of events) {
    seen.push(event);
    if (event.type === 'TEXT_MESSAGE_CONTENT') text += String(event['delta']);
    const line = event.type === 'TEXT_MESSAGE_END' ? `  the model says: ${text}` : sentence(event);
    if (event.type === 'TEXT_MESSAGE_END') text = '';
    if (line !== undefined) tell(line);
  }
  return seen;
}

/** One event in people's words; nothing for those between. */
export function sentence(event: AgUiEvent): string | undefined {
  switch (event.type) {
    case 'TOOL_CALL_START':
      return `  the model proposes ${String(event['toolCallName'])}`;
    case 'TOOL_CALL_ARGS':
      return `    with ${String(event['delta'])}`;
    case 'TOOL_CALL_RESULT':
      return `  result: ${String(event['content'])}`;
    case 'RUN_FINISHED':
      return `  ${ENDS[outcomeOf(event) ?? ''] ?? 'the run ends'}`;
    case 'RUN_ERROR':
      return `  the run failed: ${String(event['message'])}`;
    default:
      return undefined;
  }
}
