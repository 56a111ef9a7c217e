import type { JsonObject, JsonValue } from './json.js';

/** A call that its tool handed to somebody outside (`CallDeferred`): its run waits for their result. Arguments and metadata are redacted. */
export interface DeferredCall {
  readonly operationId: string;
  readonly runId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: JsonValue;
  readonly argumentsDigest: string;
  /** What the tool said about it: a ticket, a queue. */
  readonly metadata: JsonObject;
  readonly requestedAt: Date;
}

type NamedCall =
  | { readonly operationId: string; readonly toolCallId?: undefined }
  | { readonly toolCallId: string; readonly operationId?: undefined };

/**
 * What a deferred call came to, by whoever did it: a value, or an error in words for the model. The model reads either as it reads any tool's result:
 * redacted, and cut where it is too long.
 */
export type ExternalResult = NamedCall &
  ({ readonly value: unknown; readonly error?: undefined } | { readonly error: string; readonly value?: undefined });
