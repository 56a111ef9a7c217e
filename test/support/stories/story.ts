/** What a tool returns, and what an executor makes up: whatever JavaScript has. */
export const VALUES = {
  words: () => 'found',
  nothing: () => undefined,
  empty: () => '',
  null: () => null,
  object: () => ({ order: 7, lines: ['a', { b: null }] }),
  list: () => [1, 'two', [3]],
  bigint: () => ({ big: 10n }),
  circle: () => {
    const circle: Record<string, unknown> = {};
    return Object.assign(circle, { circle });
  },
  odd: () => [new Date(0), new Map([['a', 1]]), new Error('x'), Symbol('s'), Number.NaN, () => 0, Buffer.from('b')],
  surrogate: () => ({ '\ud83d': 'a\udc00b' }),
  control: () => 'a\u0000\r\n\n: alive\n\ndata: {}\n\n\u2028',
  prototype: () => JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":{"y":2}}}') as unknown,
  long: () => 'x'.repeat(1_000_000),
} as const satisfies Record<string, () => unknown>;

/** Pieces of what a model says; the third and the fourth are one character. */
export const PIECES = {
  plain: 'Order 7 ',
  none: '',
  high: '\ud83d',
  low: '\ude00',
  frame: '\r\n\n: alive\n\ndata: {}\n\nevent: error\n\n',
  nul: 'a\u0000b',
  json: '{"type":"RUN_FINISHED"}',
  long: 'y'.repeat(1_000_000),
} as const;

/** How an executor tells one text: in good order, or not. */
export const MANNERS = ['well', 'no start', 'no end', 'twice', 'end first', 'nothing in it'] as const;

export const TOOLS = ['find', 'fail', 'gated', 'remember', 'nest', 'unheard of'] as const;
export const CHILDREN = ['answers', 'fails', 'is left', 'calls'] as const;

export interface Speech {
  readonly kind: 'text' | 'reasoning';
  readonly manner: (typeof MANNERS)[number];
  readonly pieces: readonly (keyof typeof PIECES)[];
}

/** The arguments of every tool here, so that its call says what becomes of it. */
export interface Told {
  readonly value: keyof typeof VALUES;
  readonly child: (typeof CHILDREN)[number];
  readonly answer: 'approve' | 'deny' | 'cancel';
  readonly decision: 'accept' | 'reject' | 'abort';
}

export interface StoryCall extends Told {
  readonly tool: (typeof TOOLS)[number];
}

export interface StateChange {
  readonly key: 'a' | 'b/c' | 'list' | 'password' | 'constructor';
  readonly how: 'set' | 'delete' | 'append';
  readonly value: keyof typeof VALUES | number;
}

export interface Turn {
  readonly speeches: readonly Speech[];
  readonly state: readonly StateChange[];
  readonly custom?: keyof typeof VALUES;
  readonly calls: readonly StoryCall[];
  readonly tokens: number;
  readonly incident?: 'cancel' | 'throw';
}

/** One run, told by its executor. */
export type Story = readonly Turn[];
