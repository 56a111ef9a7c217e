import { execFile } from 'node:child_process';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { openCluster } from '../../../src/development-database/data.cluster.js';
import { throwawayDirectory } from '../../../src/development-database/data.directory.js';
import { DEFAULT_FINDERS, findBinaries } from '../../../src/development-database/development-database.js';
import type { Cluster, ServerBinaries } from '../../../src/development-database/development-database.types.js';
import { freePort } from '../../../src/development-database/free.port.js';
import { readableBinaries } from '../../../src/development-database/readable.binaries.js';
import { startServer, type ServerProcess } from '../../../src/development-database/server.process.js';

const run = promisify(execFile);
const PATIENCE = 60_000;

/** A server of a test's own: durable, and it may be stopped, killed, started again, and copied into a standby. */
export class OwnServer {
  private process: ServerProcess | undefined;

  private constructor(
    private readonly binaries: ServerBinaries,
    private readonly cluster: Cluster,
    private readonly folder: string,
  ) {}

  static async make(): Promise<OwnServer> {
    const directory = await throwawayDirectory();
    const found = await findBinaries(DEFAULT_FINDERS, { PATH: process.env['PATH'] });
    const binaries = await readableBinaries(found, directory.account);
    const server = new OwnServer(binaries, await openCluster(directory, binaries, false), directory.path);
    await server.start();
    return server;
  }

  get url(): string {
    return `postgres://desk:${this.cluster.password}@127.0.0.1:${this.process?.port}/postgres`;
  }

  async start(): Promise<void> {
    this.process = await startServer(this.binaries, this.cluster, await freePort(), { fsync: 'off' });
    const until = Date.now() + PATIENCE;
    while (!(await this.answers())) {
      if (Date.now() > until) throw new Error(`The server did not start:\n${await this.process.messages()}`);
      await pause(50);
    }
  }

  /** In an orderly way: connections break. */
  async stop(): Promise<void> {
    await this.process?.stop();
  }

  /** Without a word. What was committed is in its log. */
  async kill(): Promise<void> {
    process.kill(this.process?.pid ?? 0, 'SIGKILL');
    await this.process?.ended;
  }

  /** A standby, made from a copy of the files while this server works; commits wait for it from now on. */
  async standby(): Promise<OwnServer> {
    const directory = await throwawayDirectory();
    const client = new Client({ connectionString: this.url });
    await client.connect();
    await client.query("SELECT pg_backup_start('standby', true)");
    const dataFolder = join(directory.path, 'data');
    await run('cp', ['-a', this.cluster.dataFolder, dataFolder]);
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)');
    await rm(join(dataFolder, 'postmaster.pid'), { force: true });
    await rm(join(dataFolder, 'postmaster.opts'), { force: true });
    await writeFile(join(dataFolder, 'backup_label'), rows[0]?.labelfile ?? '');
    await writeFile(join(dataFolder, 'standby.signal'), '');
    const { port } = new URL(this.url);
    await appendFile(
      join(dataFolder, 'postgresql.auto.conf'),
      `\nprimary_conninfo = 'host=127.0.0.1 port=${port} user=desk password=${this.cluster.password} application_name=standby'\n`,
    );
    const logFile = join(directory.path, 'server.log');
    const copy = new OwnServer(this.binaries, { ...this.cluster, dataFolder, logFile }, directory.path);
    const { uid, gid } = directory.account;
    if (uid !== undefined && gid !== undefined) await run('chown', ['-R', `${uid}:${gid}`, directory.path]);
    await copy.start();
    await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await client.query('SELECT pg_reload_conf()');
    const streams = "SELECT FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync'";
    while ((await client.query(streams)).rowCount === 0) await pause(20);
    await client.end();
    return copy;
  }

  async promote(): Promise<void> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    await client.query('SELECT pg_promote()');
    await client.end();
  }

  async close(): Promise<void> {
    await this.process?.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async answers(): Promise<boolean> {
    const client = new Client({ connectionString: this.url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('SELECT 1');
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
