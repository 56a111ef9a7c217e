import { InvalidQueryError } from '../contracts/errors/invalid-query.error.js';
import type { Page, PageQuery } from '../contracts/page.js';
import { isUuid } from '../values/ids.js';

const DEFAULT_LIMIT = 50;
const MOST = 500;

/** A checked page query. A cursor is the id of the last record of the page before. */
export interface PageStart {
  readonly limit: number;
  readonly after: string | null;
}

/** @throws InvalidQueryError for a limit that is no whole number from 1 to 500, or a cursor no page ever gave out */
export function pageStart(query: PageQuery): PageStart {
  const limit = query.limit ?? DEFAULT_LIMIT;
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST) {
    throw new InvalidQueryError('limit', `must be a whole number from 1 to ${MOST}`);
  }
  if (query.cursor !== undefined && !isUuid(query.cursor)) {
    throw new InvalidQueryError('cursor', 'must be the nextCursor of an earlier page of the same list');
  }
  return { limit, after: query.cursor?.toLowerCase() ?? null };
}

/** A page of records read newest first, one more than the limit where there are more. */
export function pageOf<T extends { readonly id: string }>(read: readonly T[], limit: number): Page<T> {
  const items = read.slice(0, limit);
  const last = items.at(-1);
  return Object.freeze({
    items: Object.freeze(items),
    nextCursor: read.length > limit && last !== undefined ? last.id : null,
  });
}

/** The page of a list where nothing can match. */
export const EMPTY_PAGE: Page<never> = Object.freeze({ items: Object.freeze([]), nextCursor: null });
