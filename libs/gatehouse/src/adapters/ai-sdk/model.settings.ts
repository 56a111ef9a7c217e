import type { streamText } from 'ai';

/**
 * Settings of each model request, handed to the AI SDK as they are. `maxRetries` (default 2) counts further attempts after a refused request,
 * with backoff, `retry-after` respected; once a response has begun to stream it is never asked for again.
 */
export type ModelSettings = Readonly<
  Pick<
    Parameters<typeof streamText>[0],
    | 'temperature'
    | 'topP'
    | 'topK'
    | 'presencePenalty'
    | 'frequencyPenalty'
    | 'stopSequences'
    | 'seed'
    | 'maxOutputTokens'
    | 'maxRetries'
    | 'headers'
    | 'providerOptions'
  >
>;
