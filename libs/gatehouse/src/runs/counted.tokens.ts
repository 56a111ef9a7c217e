/** Tokens as an agent reports them; what is no count (NaN, Infinity, below 0, no number at all) would switch the limit off, and counts as nothing. */
export const countedTokens = (reported: unknown): number =>
  typeof reported === 'number' && Number.isFinite(reported) && reported > 0 ? reported : 0;
