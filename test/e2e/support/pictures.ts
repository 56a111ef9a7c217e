/** A picture of one pixel, in base64. */
export const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The picture as the thread keeps it. */
export const KEPT = { mediaType: 'image/png', name: 'dent.png', data: PNG };

/** The picture as a part of an AG-UI message, with the name where the official client writes it. */
export const imagePart = (source: object = { type: 'data', value: PNG, mimeType: 'image/png' }) => ({
  type: 'image' as const,
  source: source as { type: 'data'; value: string; mimeType: string },
  metadata: { filename: 'dent.png' },
});

/** The picture as a part of a message of `useChat`. */
export const filePart = (rest: object = {}) => ({
  type: 'file' as const,
  mediaType: 'image/png',
  filename: 'dent.png',
  url: `data:image/png;base64,${PNG}`,
  ...rest,
});
