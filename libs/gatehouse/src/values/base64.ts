/** Whether a text is the base64 of at least one byte, as an encoder writes it: with padding, no spare bits, nothing else. */
export const isBase64 = (text: string): boolean =>
  text !== '' && Buffer.from(text, 'base64').toString('base64') === text;
