import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DataVersionError } from '../../src/development-database/data-version.error.js';
import {
  DEFAULT_FINDERS,
  type DevelopmentDatabase,
  findBinaries,
  openDevelopmentDatabase,
} from '../../src/development-database/development-database.js';
import type { ServerBinaries } from '../../src/development-database/development-database.types.js';
import { freePort } from '../../src/development-database/free.port.js';
import { readPostmaster } from '../../src/development-database/postmaster.file.js';
import { readableBinaries } from '../../src/development-database/readable.binaries.js';
import { STARTER_SETTING } from '../../src/development-database/running.server.js';
import { type ServerAccount, serverAccount } from '../../src/development-database/server.account.js';
import { programIn } from '../../src/development-database/server.version.js';
import { query } from './support/query.js';
import { removeTemporaryFolders, temporaryFolder } from './support/temporary.folder.js';
import { until } from './support/until.js';

const env = { PATH: process.env['PATH'] };
const lines: string[] = [];
const open = (dataDirectory: string): Promise<DevelopmentDatabase> =>
  openDevelopmentDatabase({ persistent: true, dataDirectory, env, log: (line) => lines.push(line) });

describe('a kept development database', () => {
  let root: string;
  let checkout: string;
  let account: ServerAccount;
  let binaries: ServerBinaries;

  beforeAll(async () => {
    root = await temporaryFolder();
    checkout = join(root, 'a check out', '.gatehouse', 'postgres');
    await mkdir(join(root, 'a check out'));
    account = await serverAccount(checkout);
    binaries = await readableBinaries(await findBinaries(DEFAULT_FINDERS, env), account);
    const database = await open(checkout);
    await query(database.url, `create table kept as select 'here' as word`);
    await database.stop();
  });
  beforeEach(() => void lines.splice(0));
  afterAll(removeTemporaryFolders);

  const dataFolder = (): string => join(checkout, 'cluster', 'data');
  const keptAfter = async (start: () => Promise<DevelopmentDatabase>): Promise<unknown[]> => {
    const database = await start();
    try {
      return await query(database.url, 'select word from kept');
    } finally {
      await database.stop();
    }
  };

  it('lies in the checkout, closed to others, and is there again at the next start', async () => {
    expect(await keptAfter(() => open(checkout))).toEqual([{ word: 'here' }]);
    expect(await readPostmaster(dataFolder())).toBeUndefined();
    expect((await stat(join(checkout, 'cluster'))).mode & 0o777).toBe(0o700);
    expect(lines).toEqual([`PostgreSQL ${binaries.major} (${binaries.source}) serves ${checkout}.`]);
  });

  it('two first starts of one checkout at once share one server; another checkout has its own', async () => {
    const [one, two] = [join(root, 'one'), join(root, 'two')];
    const [first, second, other] = await Promise.all([open(one), open(one), open(two)]);
    expect(second.url).toBe(first.url);
    expect(other.url).not.toBe(first.url);
    const server = await readPostmaster(join(one, 'cluster', 'data'));
    expect(lines.filter((line) => line.startsWith('Sharing'))).toEqual([
      `Sharing the database server (process ${server?.pid}) of another start; it ends when that one ends.`,
    ]);
    await query(first.url, 'create table mine ()');
    expect(await query(other.url, `select to_regclass('mine') as found`)).toEqual([{ found: null }]);
    await Promise.all([first.stop(), second.stop(), other.stop()]);
    await expect(query(first.url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('a lock file whose process number another program got since does not stop the start', async () => {
    // As the server's own account: it can signal that program, and would take it for a server.
    const stranger = spawn('sleep', ['60'], account);
    try {
      const lock = [String(stranger.pid), dataFolder(), '1700000000', '54321', '', '127.0.0.1', '', 'ready', ''].join(
        '\n',
      );
      await writeFile(join(dataFolder(), 'postmaster.pid'), lock);
      expect(await keptAfter(() => open(checkout))).toEqual([{ word: 'here' }]);
      expect(stranger.exitCode).toBeNull();
    } finally {
      stranger.kill();
    }
  });

  it('a server that a killed start left behind is ended first', async () => {
    const orphan = spawn(
      programIn(binaries.folder, 'postgres'),
      [
        '-D',
        dataFolder(),
        '-p',
        String(await freePort()),
        '-c',
        'unix_socket_directories=',
        '-c',
        `${STARTER_SETTING}=999999999:1`,
      ],
      { ...account, stdio: 'ignore' },
    );
    const ended = once(orphan, 'exit');
    await until('the orphan is ready', async () => (await readPostmaster(dataFolder()))?.status === 'ready');
    expect(await keptAfter(() => open(checkout))).toEqual([{ word: 'here' }]);
    expect(await ended).toEqual([0, null]);
    expect(lines[0]).toBe(`Ending the database server (process ${orphan.pid}) that an earlier start left behind.`);
  });

  it('data of another major version is refused, untouched, with what to do', async () => {
    const old = join(root, 'old');
    const version = join(old, 'cluster', 'data', 'PG_VERSION');
    await mkdir(join(old, 'cluster', 'data'), { recursive: true });
    await writeFile(version, '9.6\n');
    const error = await open(old).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DataVersionError);
    expect((error as Error).message).toBe(
      `The data in ${old} was made by PostgreSQL 9.6, but the server found is PostgreSQL ${binaries.major}. ` +
        `Delete that folder to start with an empty database, or make PostgreSQL 9.6 available again.`,
    );
    expect(await readFile(version, 'utf8')).toBe('9.6\n');
  });
});
