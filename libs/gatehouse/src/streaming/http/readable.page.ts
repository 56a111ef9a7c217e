import type { Page } from '../../contracts/page.js';

/** A page asks the store at most this often; what lies behind is on the next one. */
const MOST_READS = 20;

/**
 * One page of what may be read: items that may not are left out, and the page is filled up from the ones that follow. It can stay short, and even
 * empty, with a cursor to go on from.
 */
export async function readablePage<T>(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
  read: (page: { readonly limit: number; readonly cursor?: string }) => Promise<Page<T>>,
  readable: (item: T) => boolean | Promise<boolean>,
): Promise<Page<T>> {
  const items: T[] = [];
  let next: string | null = cursor ?? null;
  for (let reads = 0; reads < MOST_READS; reads += 1) {
    const page: Page<T> = await read({ limit: limit - items.length, ...(next === null ? {} : { cursor: next }) });
    for (const item of page.items) if (await readable(item)) items.push(item);
    next = page.nextCursor;
    if (next === null || items.length === limit) break;
  }
  return { items, nextCursor: next };
}
