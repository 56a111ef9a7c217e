import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOADER = ['--disable-warning=ExperimentalWarning', '--import', '@swc-node/register/esm-register'];
const LONGEST_LOG = 8_000;

/** A server that is killed and started again. */
export class ServerProcess {
  private child: ChildProcessWithoutNullStreams | undefined;
  private address = '';
  private said = '';
  /** The processes that were killed, oldest first. */
  readonly killed: number[] = [];

  constructor(
    readonly name: string,
    private readonly database: string,
    private readonly program = 'test/chaos/server.program.ts',
  ) {}

  /** Where it listens; its last address while it is down. */
  get url(): string {
    return this.address;
  }

  /** The last that it, and those before it, wrote to the log. */
  get log(): string {
    return this.said;
  }

  /** Resolves once it listens. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [...LOADER, this.program], {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'] ?? '',
        TS_NODE_PROJECT: 'tsconfig.json',
        CHAOS_DATABASE: this.database,
      },
    });
    this.child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.note(text));
    for await (const line of createInterface({ input: child.stdout })) {
      const [, url] = /^listening (\S+)$/.exec(line) ?? [];
      if (url === undefined) {
        this.note(`${line}\n`);
        continue;
      }
      this.address = url;
      child.stdout.on('data', (text: Buffer) => this.note(text.toString())).resume();
      return;
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    throw new Error(`Server ${this.name} did not start:\n${this.said}`);
  }

  /** As a power cut would. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** In peace: what is queued is written. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
  }

  /** As Ctrl-C does, once. Resolves when it has ended. */
  async interrupt(): Promise<void> {
    await this.end('SIGINT');
  }

  private async end(signal: 'SIGKILL' | 'SIGTERM' | 'SIGINT'): Promise<void> {
    const { child } = this;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    if (signal === 'SIGKILL' && child.pid !== undefined) this.killed.push(child.pid);
    const closed = once(child, 'exit');
    child.kill(signal);
    await closed;
  }

  private note(text: string): void {
    this.said = `${this.said}${text}`.slice(-LONGEST_LOG);
  }
}
