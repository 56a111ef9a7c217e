import jsonpatch from 'fast-json-patch';
import fc from 'fast-check';

import type { JsonValue } from '../contracts/json.js';
import { patchBetween } from './state.patch.js';
import { sanitize } from './sanitizer.js';

/** What a client makes of it: AG-UI's applies patches with this library, and these arguments. */
const applied = (before: JsonValue, after: JsonValue): unknown => {
  const patch = patchBetween(before, after);
  return patch === undefined
    ? after
    : jsonpatch.applyPatch(structuredClone(before), [...patch], true, false).newDocument;
};

describe('patchBetween', () => {
  it('names the members that changed, and them alone', () => {
    const before = { order: { id: 7, status: 'open', lines: ['a', 'b'] }, note: 'n'.repeat(200) };
    const after = { order: { id: 7, status: 'paid', lines: ['a', 'b', 'c'] }, note: before.note, 'a/b~c': 1 };
    expect(patchBetween(before, after)).toEqual([
      { op: 'add', path: '/a~1b~0c', value: 1 },
      { op: 'replace', path: '/order/status', value: 'paid' },
      { op: 'add', path: '/order/lines/-', value: 'c' },
    ]);
    expect(patchBetween(after, before)?.[0]).toEqual({ op: 'remove', path: '/a~1b~0c' });
  });

  it('is empty for equal values, and nothing where the new value is shorter or an applier would refuse', () => {
    const long = 'x'.repeat(200);
    expect(patchBetween({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toEqual([]);
    expect(patchBetween({ a: 1 }, { a: 2 })).toBeUndefined();
    expect(patchBetween({ a: 1 }, 'hidden')).toBeUndefined();
    const at = (value: number) => ({ constructor: { prototype: { value } }, long });
    expect(patchBetween(at(1), at(2))).toBeUndefined();
  });

  it('takes long lists apart only at their end, in no time', () => {
    const list = Array.from({ length: 20_000 }, (_, n) => n);
    expect(patchBetween({ list }, { list: [...list, 'new'] })).toEqual([{ op: 'add', path: '/list/-', value: 'new' }]);
    const rest = 'y'.repeat(200);
    const shifted = list.slice(1);
    expect(patchBetween({ list, rest }, { list: shifted, rest })).toEqual([
      { op: 'replace', path: '/list', value: shifted },
    ]);
  });

  it("whatever the two values are, a client's own applier gets from one to the other", () => {
    const values = fc
      .dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 5 })
      .map((value) => sanitize(value));
    const check = (before: JsonValue, after: JsonValue) => expect(applied(before, after)).toEqual(after);
    fc.assert(fc.property(values, values, check), { numRuns: 500, seed: 20_261_130 });
    const related = fc.tuple(values, values, values).map(([base, one, other]): [JsonValue, JsonValue] => [
      { base, one, list: [base, one] },
      { base, other, list: [base, other, one] },
    ]);
    fc.assert(
      fc.property(related, ([before, after]) => check(before, after)),
      { numRuns: 500, seed: 20_261_130 },
    );
  });
});
