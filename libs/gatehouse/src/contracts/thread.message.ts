import type { MessageFile } from './message.file.js';
import type { ToolOutcome } from './statuses.js';

/** One call inside an assistant's message. `argsText` is what the model wrote (or its canonical form). */
export interface MessageCall {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly argsText: string;
}

/** One answer inside a tool message. */
export interface MessageResult {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly outcome: ToolOutcome;
  readonly content: string;
}

/** One message of the stored thread: the only history a model is ever given. */
export type ThreadMessage =
  | {
      readonly id: string;
      readonly role: 'user';
      readonly text: string;
      /** Absent where there are none. */
      readonly files?: readonly MessageFile[];
    }
  | { readonly id: string; readonly role: 'assistant'; readonly text: string; readonly calls: readonly MessageCall[] }
  | { readonly id: string; readonly role: 'tool'; readonly results: readonly MessageResult[] };

/** A user's message as a caller hands it in. */
export interface UserMessage {
  readonly id?: string;
  /** May be empty beside files. */
  readonly text: string;
  readonly files?: readonly MessageFile[];
}
