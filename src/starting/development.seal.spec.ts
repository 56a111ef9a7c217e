import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { developmentSeal } from './development.seal.js';

describe('the seal of a database that we started', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-seal-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('has a key that is made once, and that nobody else reads', async () => {
    const [one, other] = await Promise.all([1, 2].map(() => developmentSeal({ source: 'embedded' }, folder)));
    expect(other?.key).toBe(one?.key);
    expect((await developmentSeal({ source: 'embedded' }, folder)).key).toBe(one?.key);
    expect((await stat(join(folder, 'seal', 'key'))).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, 'seal', 'verifier.key'), 'utf8')).toMatch(
      /^gatehouse\.example\/desk\+[0-9a-f]{8}\+/,
    );
    expect(one?.anchors?.map((anchor) => anchor.name)).toEqual([`file:${join(folder, 'seal', 'checkpoint')}`]);
  });

  it("is somebody's own where the database is", async () => {
    expect(await developmentSeal({ source: 'DATABASE_URL' }, folder)).toEqual({ origin: 'gatehouse.example/desk' });
  });
});
