import { join } from 'node:path';
import { chmod, chown, mkdir, stat } from 'node:fs/promises';
import { DEFAULT_FINDERS, findBinaries } from '../../src/development-database/development-database.js';
import { commandLine } from '../../src/development-database/process.identity.js';
import { readPostmaster } from '../../src/development-database/postmaster.file.js';
import { readableBinaries } from '../../src/development-database/readable.binaries.js';
import { type ServerAccount, serverAccount } from '../../src/development-database/server.account.js';
import { query } from './support/query.js';
import { buildStarter, spawnStarter, type Starter } from './support/starter.process.js';
import { removeTemporaryFolders, temporaryFolder } from './support/temporary.folder.js';
import { until } from './support/until.js';

describe('the process that started a kept database', () => {
  let root: string;
  let script: string;
  let binaries: string;
  let unprivileged: ServerAccount;

  beforeAll(async () => {
    root = await temporaryFolder();
    script = await buildStarter(join(root, 'built'));
    // Root's choice of an account for its servers is an account that is not root; others are one themselves.
    unprivileged = await serverAccount(join(root, 'none yet'));
    const found = await findBinaries(DEFAULT_FINDERS, { PATH: process.env['PATH'] });
    binaries = (await readableBinaries(found, unprivileged)).folder;
  });
  afterAll(removeTemporaryFolders);

  const serverOf = async (data: string): Promise<number> =>
    (await readPostmaster(join(data, 'cluster', 'data')))?.pid ?? 0;
  const gone = (pid: number, data: string): Promise<void> =>
    until(`server ${pid} is gone`, async () => !(await commandLine(pid))?.includes(data));
  const signal = ({ child }: Starter, name: NodeJS.Signals): boolean => process.kill(-(child.pid ?? 0), name);

  it('Ctrl-C reaches it and not the server, so it can finish its work; then the server is gone', async () => {
    const data = join(root, 'interrupted');
    const starter = await spawnStarter(script, data, binaries);
    const server = await serverOf(data);
    expect(await commandLine(server)).toContain(data);
    signal(starter, 'SIGINT');
    expect(await starter.last).toBe('[{"answer":"still answers"}]');
    expect(starter.child.exitCode).toBe(0);
    await gone(server, data);
  });

  it('when it is killed, its server ends too, and the next start has the data', async () => {
    const data = join(root, 'killed');
    const starter = await spawnStarter(script, data, binaries);
    const server = await serverOf(data);
    signal(starter, 'SIGKILL');
    await starter.last;
    await gone(server, data);
    const again = await spawnStarter(script, data, binaries);
    try {
      expect(await query(again.first.url, 'select count(*)::int as tables from kept')).toEqual([{ tables: 0 }]);
    } finally {
      signal(again, 'SIGINT');
      await again.last;
    }
  });

  it('works for a user that is not root, whose data then is its own', async () => {
    const home = join(root, 'home');
    const user = unprivileged.uid ?? process.getuid?.() ?? -1;
    await mkdir(home);
    await chmod(home, 0o700);
    if (unprivileged.gid !== undefined) await chown(home, user, unprivileged.gid);
    const data = join(home, 'pg');
    const starter = await spawnStarter(script, data, binaries, unprivileged);
    expect(starter.first.user).toBe(user);
    expect(user).toBeGreaterThan(0);
    expect((await stat(join(data, 'cluster', 'data'))).uid).toBe(user);
    signal(starter, 'SIGINT');
    expect(await starter.last).toBe('[{"answer":"still answers"}]');
  });
});
