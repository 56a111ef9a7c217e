import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LOADER = ['--disable-warning=ExperimentalWarning', '--import', '@swc-node/register/esm-register'];

interface Running {
  readonly child: ChildProcess;
  readonly closed: Promise<unknown>;
}

const UUID = 36;

/** Processes that write evidence, all at once, until somebody kills them. */
export class KilledWriters {
  private readonly running: Running[] = [];
  private started = 0;

  private constructor(
    private readonly url: string,
    private readonly folder: string,
  ) {}

  static async on(url: string): Promise<KilledWriters> {
    return new KilledWriters(url, await mkdtemp(join(tmpdir(), 'gatehouse-writers-')));
  }

  /** Starts so many; resolves when each has had a record acknowledged. */
  async start(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.startOne()));
  }

  /** Kills the one at this place, in the middle of whatever it does, and starts another. */
  async replace(at: number): Promise<void> {
    await this.kill(this.running[at % this.running.length]);
    await this.startOne();
  }

  /** Kills all of them; the ids of every record that any of them was told is committed. */
  async end(): Promise<readonly string[]> {
    await Promise.all([...this.running].map((one) => this.kill(one)));
    const files = Array.from({ length: this.started }, (_, at) => readFile(this.file(at + 1), 'utf8'));
    const lines = (await Promise.all(files)).flatMap((text) => text.split('\n'));
    await rm(this.folder, { recursive: true });
    // A line that is not whole was not noted.
    return lines.filter((line) => line.length === UUID);
  }

  private file(number: number): string {
    return join(this.folder, String(number));
  }

  private async startOne(): Promise<void> {
    this.started += 1;
    const file = this.file(this.started);
    const child = spawn(process.execPath, [...LOADER, 'test/audit/support/writer.program.ts'], {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'] ?? '',
        TS_NODE_PROJECT: 'tsconfig.json',
        WRITER_URL: this.url,
        WRITER_FILE: file,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const one = { child, closed: once(child, 'close') };
    this.running.push(one);
    await Promise.race([once(child.stdout, 'data'), one.closed]);
    if (child.exitCode !== null) throw new Error(`A writer ended by itself, with ${child.exitCode}.`);
  }

  private async kill(one: Running | undefined): Promise<void> {
    if (one === undefined) return;
    this.running.splice(this.running.indexOf(one), 1);
    one.child.kill('SIGKILL');
    await one.closed;
  }
}
