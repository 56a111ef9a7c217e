import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LOADER = ['--disable-warning=ExperimentalWarning', '--import', '@swc-node/register/esm-register'];

/** A program of `src/`, run by Node in a process of its own, as `npm start` and `npm run demo` do. */
export class Program {
  output = '';
  private readonly child: ChildProcessByStdio<null, Readable, Readable>;
  private readonly closed: Promise<unknown>;

  constructor(file: 'main.ts' | 'worker.ts' | 'demo.ts', env: Readonly<Record<string, string>>) {
    this.child = spawn(process.execPath, [...LOADER, `src/${file}`], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '', TS_NODE_PROJECT: 'tsconfig.json', NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.closed = once(this.child, 'close');
  }

  /** What the pattern finds in the output, once it does; throws where the program ends before. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.output);
      if (found !== null) return found;
      if (this.child.exitCode !== null)
        throw new Error(`The program ended without ${String(pattern)}:\n${this.output}`);
      await Promise.race([once(this.child.stdout, 'data'), this.closed]);
    }
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** The exit code, or the signal that ended it. */
  async ended(): Promise<number | string | null> {
    await this.closed;
    return this.child.exitCode ?? this.child.signalCode;
  }
}
