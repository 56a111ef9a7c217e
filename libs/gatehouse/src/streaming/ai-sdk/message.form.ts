import type { MessageForm } from '../entry/message.content.js';

/** A user's message of the AI SDK: its files are parts with a URL. */
export const UI_MESSAGE: MessageForm = {
  body: 'parts',
  file({ type, mediaType, filename, url }, field) {
    if (type !== 'file') return undefined;
    return {
      mediaType: [mediaType, `${field}.mediaType`],
      name: [filename, `${field}.filename`],
      url: [url, `${field}.url`],
    };
  },
};
