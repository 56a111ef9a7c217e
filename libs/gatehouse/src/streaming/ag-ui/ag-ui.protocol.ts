import type { StreamProtocol } from '../stream.protocol.js';
import { encodeError, encodeFrame } from './frame.encoder.js';

/** AG-UI 1.0: every frame is one event, whatever came before it. */
export const AG_UI: StreamProtocol = Object.freeze({
  encoder: (run) => ({
    encode: (frame) => {
      const event = encodeFrame(frame, run);
      return event === undefined ? [] : [event];
    },
  }),
  error: (message, code) => [encodeError(message, code)],
  unknownAnswers: 'refused',
} satisfies StreamProtocol);
