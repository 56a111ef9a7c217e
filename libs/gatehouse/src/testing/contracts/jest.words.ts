type Words = Pick<typeof import('@jest/globals'), 'describe' | 'it' | 'expect' | 'beforeAll' | 'afterAll'>;

/** Jest's own globals. Looked up when a suite is described, so that importing this room needs no Jest. */
export const jestWords = (): Words => globalThis as unknown as Words;
