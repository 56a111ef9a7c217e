import { gateway, type LanguageModel } from 'ai';
import type { JsonSchema } from '../../contracts/json.js';
import type { ModelSettings } from './model.settings.js';

/** One message as a provider takes it: the same in every version of the provider interface (v2, v3, v4). */
export type ProviderMessage =
  | { readonly role: 'system'; readonly content: string }
  | { readonly role: 'user' | 'assistant' | 'tool'; readonly content: readonly object[] };

/** A tool as it is offered to a provider. */
export interface ProviderTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** One request for one response. */
export interface ProviderCall extends Omit<ModelSettings, 'maxRetries'> {
  readonly prompt: readonly ProviderMessage[];
  readonly tools?: readonly ProviderTool[];
  readonly toolChoice?: { readonly type: 'auto' };
  readonly responseFormat?: { readonly type: 'json'; readonly schema: JsonSchema };
  readonly abortSignal: AbortSignal;
}

type Count = number | { readonly total?: number } | undefined;

/** What a provider streams, as far as it concerns us; versions differ in how they count and in how they say why they stopped. */
export type ProviderPart =
  | { readonly type: 'text-delta'; readonly delta: string }
  | { readonly type: 'reasoning-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'reasoning-end'; readonly id: string }
  | {
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly providerExecuted?: boolean;
    }
  | { readonly type: 'error'; readonly error: unknown }
  | {
      readonly type: 'finish';
      readonly finishReason: string | { readonly unified: string };
      readonly usage: { readonly inputTokens: Count; readonly outputTokens: Count };
    };

/** A model at its provider interface: one request, one streamed response, nothing in between. */
export interface ProviderModel {
  readonly specificationVersion: string;
  doStream(call: ProviderCall): PromiseLike<{ readonly stream: ReadableStream<ProviderPart> }>;
}

/** A name is looked up where the SDK looks it up. */
export const providerModel = (model: LanguageModel): ProviderModel => {
  const found: unknown =
    typeof model === 'string' ? (globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway).languageModel(model) : model;
  // The interface's versions are types of their own; what is used of them here is the same in all.
  return found as ProviderModel;
};
