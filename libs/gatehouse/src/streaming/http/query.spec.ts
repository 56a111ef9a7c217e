import { given, QueryReader } from './query.js';
import { principalOf } from './principal.js';
import { readablePage } from './readable.page.js';
import type { HttpRequest } from './http.request.js';

const read = (query: object): QueryReader => new QueryReader(query as Record<string, unknown>);

describe('QueryReader', () => {
  it('reads what is given, and nothing else', () => {
    const query = read({
      toolName: 'refund',
      success: 'false',
      from: '2026-01-31T12:00:00Z',
      limit: '500',
      cursor: 'c',
    });
    expect(
      given({
        tool: query.text('toolName'),
        none: query.text('none'),
        ok: query.flag('success'),
        from: query.instant('from'),
      }),
    ).toEqual({
      tool: 'refund',
      ok: false,
      from: new Date('2026-01-31T12:00:00Z'),
    });
    expect(query.page()).toEqual({ limit: 500, cursor: 'c' });
    expect(read({}).page()).toEqual({ limit: 50 });
  });

  it.each([
    [() => read({ x: ['a', 'b'] }).text('x'), "Query parameter 'x' must be given once, with 1 to 500 characters."],
    [() => read({ x: '' }).text('x'), "Query parameter 'x' must be given once, with 1 to 500 characters."],
    [() => read({ x: { y: 'z' } }).text('x'), "Query parameter 'x' must be given once, with 1 to 500 characters."],
    [() => read({ x: 'TRUE' }).flag('x'), "Query parameter 'x' must be one of true, false."],
    [() => read({ x: 'nope' }).oneOf('x', ['a', 'b']), "Query parameter 'x' must be one of a, b."],
    [
      () => read({ x: 'yesterday' }).instant('x'),
      "Query parameter 'x' must be an instant such as 2026-01-31T12:00:00Z.",
    ],
    [
      () => read({ x: '2026-13-31T12:00:00Z' }).instant('x'),
      "Query parameter 'x' must be an instant such as 2026-01-31T12:00:00Z.",
    ],
    [() => read({ limit: '0' }).page(), "Query parameter 'limit' must be 1 to 500."],
    [() => read({ limit: '501' }).page(), "Query parameter 'limit' must be 1 to 500."],
    [() => read({ limit: '1e2' }).page(), "Query parameter 'limit' must be 1 to 500."],
    [() => read({ toolname: 'x' }).only('toolName', 'limit'), "Query parameter 'toolname' is none of toolName, limit."],
  ])('refuses garbage by name (%#)', (reading, message) => {
    expect(reading).toThrow(message);
  });
});

describe('principalOf', () => {
  const of = (user: unknown) => principalOf({ user } as HttpRequest);

  it.each([
    [{ id: 'a' }, { id: 'a', roles: [] }],
    [
      { id: 42, roles: ['x', 7] },
      { id: '42', roles: ['x'] },
    ],
    [
      { sub: 's', tenantId: 't', roles: 'admin' },
      { id: 's', organizationId: 't', roles: [] },
    ],
    [
      { id: 'a', sub: 's', organizationId: 'o', tenantId: 't' },
      { id: 'a', organizationId: 'o', roles: [] },
    ],
  ])('reads %j', (user, principal) => {
    expect(of(user)).toEqual(principal);
  });

  it.each([undefined, null, 'admin', {}, { id: '' }, { id: { $ne: null } }])('%j is nobody: 401', (user) => {
    expect(() => of(user)).toThrow(expect.objectContaining({ status: 401, code: 'unauthenticated' }));
  });
});

describe('readablePage', () => {
  const numbers = Array.from({ length: 100 }, (_, at) => at);
  const store = ({ limit, cursor }: { limit: number; cursor?: string }) => {
    const from = Number(cursor ?? 0);
    const end = from + limit;
    return Promise.resolve({ items: numbers.slice(from, end), nextCursor: end < numbers.length ? String(end) : null });
  };

  it('is filled up from what follows what may not be read', async () => {
    const even = (item: number) => item % 2 === 0;
    const first = await readablePage({ limit: 10 }, store, even);
    expect(first.items).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
    const second = await readablePage({ limit: 10, cursor: first.nextCursor ?? '' }, store, even);
    expect(second.items).toEqual([20, 22, 24, 26, 28, 30, 32, 34, 36, 38]);
  });

  it('stops asking, with a cursor to go on from, where nothing may be read', async () => {
    expect(await readablePage({ limit: 2 }, store, () => false)).toEqual({ items: [], nextCursor: '40' });
    expect(await readablePage({ limit: 50 }, store, async () => false)).toEqual({ items: [], nextCursor: null });
  });
});
