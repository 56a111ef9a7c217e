import type { DevelopmentDatabase } from '../../src/development-database/development-database.js';

interface Held {
  current?: DevelopmentDatabase;
}

const KEY = Symbol.for('gatehouse:test-database');

/** Jest loads setup and teardown as separate modules of one process; this is where they meet. */
export function heldDatabase(): Held {
  const place = globalThis as { [KEY]?: Held };
  return (place[KEY] ??= {});
}
