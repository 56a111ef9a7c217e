interface Assertions {
  toBe(expected: unknown): void;
  toBeUndefined(): void;
  toBeNull(): void;
  toBeLessThanOrEqual(expected: number): void;
  toEqual(expected: unknown): void;
  toMatchObject(expected: object): void;
  toHaveLength(expected: number): void;
  toContain(expected: unknown): void;
  toContainEqual(expected: unknown): void;
}

interface Expect {
  (actual: unknown): Assertions & {
    readonly not: Assertions;
    readonly rejects: { toThrow(expected: string | (abstract new (...args: never[]) => Error)): Promise<void> };
  };
  any(type: unknown): unknown;
  arrayContaining(items: readonly unknown[]): unknown;
}

/** What a contract suite says with: the globals of Jest, and of everything that speaks like it. */
interface JestWords {
  readonly describe: (name: string, tests: () => void) => void;
  readonly it: (name: string, test: () => Promise<void>) => void;
  readonly beforeAll: (work: () => Promise<void>) => void;
  readonly afterAll: (work: () => Promise<void>) => void;
  readonly expect: Expect;
}

/** The test runner's globals. Looked up when a suite is described, so that importing this room needs no runner. */
export const jestWords = (): JestWords => globalThis as unknown as JestWords;
