import { isUuid, newId } from './ids.js';

describe('ids', () => {
  it('are uuids of version 7, in the order they were made', () => {
    const ids = Array.from({ length: 1000 }, newId);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(1000);
  });

  it.each([
    ['0190b6a0-0000-7000-8000-000000000000', true],
    ['550e8400-e29b-41d4-a716-446655440000', true],
    ['', false],
    ['call_1', false],
    ['0190b6a0-0000-7000-8000-000000000000\n', false],
    ["0190b6a0-0000-7000-8000-000000000000'--", false],
  ])('isUuid(%j) is %s', (text, answer) => {
    expect(isUuid(text)).toBe(answer);
  });
});
