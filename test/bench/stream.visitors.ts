import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import type { Report, Visit } from './stream.clients.js';

/** What one visit of many clients took. */
export interface Visited {
  readonly events: number;
  readonly characters: number;
  readonly delays: readonly number[];
  /** Seconds from the moment when all were open and the server began to speak. */
  readonly seconds: number;
  /** Seconds of processor time that the server took for it. */
  readonly cpu: number;
}

/** The process with the clients. */
export class Visitors {
  private readonly child: ChildProcess = fork(fileURLToPath(new URL('stream.clients.ts', import.meta.url)));

  /** Opens the streams; `open` is called once all of them are, and the visit lasts until all have ended. */
  async visit(visit: Visit, open: () => unknown): Promise<Visited> {
    const opened = this.report('open');
    const ended = this.report('ended');
    this.child.send(visit);
    await opened;
    const cpu = process.cpuUsage();
    const since = performance.now();
    await open();
    const report = await ended;
    const { user, system } = process.cpuUsage(cpu);
    if (report.kind !== 'ended') throw new Error('The visit did not end.');
    return { ...report, seconds: (performance.now() - since) / 1000, cpu: (user + system) / 1e6 };
  }

  close(): void {
    this.child.kill();
  }

  private report(kind: Report['kind']): Promise<Report> {
    return new Promise((resolve, reject) => {
      const gone = (): void => reject(new Error('The clients are gone.'));
      const listen = (report: Report): void => {
        if (report.kind !== kind) return;
        this.child.off('message', listen).off('exit', gone);
        resolve(report);
      };
      this.child.on('message', listen).on('exit', gone);
    });
  }
}
