import type { JsonValue } from '../../contracts/json.js';

/**
 * A chunk of the AI SDK's UI message stream: of its documented ones those that we send, with no field more than they need. Clients of majors 6 and 7 take
 * all of them; early releases refuse a field they do not know.
 */
export type UiChunk =
  | { readonly type: 'start'; readonly messageId: string }
  | { readonly type: 'start-step' | 'finish-step' | 'abort' }
  | { readonly type: 'finish'; readonly messageMetadata?: JsonValue }
  | { readonly type: 'message-metadata'; readonly messageMetadata: JsonValue }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'tool-input-start'; readonly toolCallId: string; readonly toolName: string }
  | {
      readonly type: 'tool-input-available';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonValue;
    }
  | { readonly type: 'tool-approval-request'; readonly approvalId: string; readonly toolCallId: string }
  | { readonly type: 'tool-output-available'; readonly toolCallId: string; readonly output: JsonValue }
  | { readonly type: 'tool-output-error'; readonly toolCallId: string; readonly errorText: string }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  | { readonly type: `data-${string}`; readonly id?: string; readonly data: JsonValue }
  | { readonly type: 'error'; readonly errorText: string };
