const LONE_SURROGATE = /\p{Surrogate}/u;
const LONE_SURROGATES = /\p{Surrogate}/gu;
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** Whether every surrogate of the text stands in a pair. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}

/**
 * The text as every store takes it: NUL, which Postgres refuses, becomes the six visible characters `\u0000`,
 * and a lone surrogate becomes U+FFFD.
 */
export function visibleText(text: string): string {
  // Nearly every text is fine as it is.
  if (!UNSTORABLE.test(text)) return text;
  return text.replaceAll('\0', '\\u0000').replace(LONE_SURROGATES, '\uFFFD');
}
