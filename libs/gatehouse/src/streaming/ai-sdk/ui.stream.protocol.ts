import type { StreamProtocol } from '../stream.protocol.js';
import { ChunkEncoder, encodeUiError } from './chunk.encoder.js';

/** The AI SDK's UI message stream, as `useChat` reads it. A history that a browser keeps may hold anything: what we never asked is left out. */
export const UI_STREAM: StreamProtocol = Object.freeze({
  encoder: (_run, firstSeq) => new ChunkEncoder(firstSeq),
  error: (message) => encodeUiError(message),
  unknownAnswers: 'ignored',
} satisfies StreamProtocol);

/** What a UI message stream says of itself in the response's headers. */
export const UI_STREAM_HEADER = ['x-vercel-ai-ui-message-stream', 'v1'] as const;
