import type { Page, PageQuery } from '../../contracts/page.js';
import { visibleText } from '../../values/visible-text.js';
import { pageOf, pageStart } from '../paging.js';

/** One page of everything that matches, newest id first. */
export function pageOfAll<T extends { readonly id: string }>(matching: readonly T[], query: PageQuery): Page<T> {
  const { limit, after } = pageStart(query);
  const sorted = matching.filter(({ id }) => after === null || id < after).sort((a, b) => (a.id < b.id ? 1 : -1));
  return pageOf(sorted.slice(0, limit + 1), limit);
}

/** Whether a record has every wanted value; `undefined` wants nothing. Texts are compared as they are stored. */
export function matches<T extends object>(record: T, wanted: { readonly [K in keyof T]?: unknown }): boolean {
  return Object.entries(wanted).every(([field, value]) => {
    if (value === undefined) return true;
    return Reflect.get(record, field) === (typeof value === 'string' ? visibleText(value) : value);
  });
}
