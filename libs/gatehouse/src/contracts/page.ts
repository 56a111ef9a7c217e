/** One page of a list, newest first. */
export interface Page<T> {
  readonly items: readonly T[];
  /** Hand it back as `cursor` for the next page; null on the last one. */
  readonly nextCursor: string | null;
}

/** How to page: `limit` 1 to 500 (default 50), `cursor` from the page before. */
export interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}
