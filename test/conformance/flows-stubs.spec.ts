import { Decide, runWithRetry, type ToolHook } from 'nest-gatehouse';

const stubbed = (stub: unknown) => {
  const hook: ToolHook = { beforeTool: () => Decide.skip('not now', stub) };
  return runWithRetry(async () => 'never', { note: 'n', name: 'n', hooks: [hook] });
};

describe('runWithRetry gives a stub as text, whatever it is', () => {
  it('what has JSON as its JSON', async () => {
    expect(await stubbed('as it is')).toBe('as it is');
    expect(await stubbed({ a: [1, new Date(0)] })).toBe('{"a":[1,"1970-01-01T00:00:00.000Z"]}');
    expect(await stubbed(undefined)).toBe('');
  });

  it('what has none with a mark in its place', async () => {
    const circle: Record<string, unknown> = { n: 1n };
    circle['self'] = circle;
    expect(await stubbed(circle)).toBe('{"n":"1","self":"[circular]"}');
    expect(await stubbed(() => 1)).toBe('"[function]"');
  });
});
