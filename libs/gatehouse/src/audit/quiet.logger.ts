import type { Logger } from '@nestjs/common';

const EVERY = 10_000;

/** Logs one line of a kind in ten seconds, and says how many it left out: an outage is no time for a line each. */
export class QuietLogger {
  private readonly said = new Map<string, { readonly at: number; silent: number }>();

  constructor(private readonly logger: Logger) {}

  warn(kind: string, message: string): void {
    this.say('warn', kind, message);
  }

  error(kind: string, message: string): void {
    this.say('error', kind, message);
  }

  private say(level: 'warn' | 'error', kind: string, message: string): void {
    const last = this.said.get(kind);
    const now = performance.now();
    if (last !== undefined && now - last.at < EVERY) {
      last.silent += 1;
      return;
    }
    const before = last === undefined || last.silent === 0 ? '' : ` (${last.silent} more like this before.)`;
    this.said.set(kind, { at: now, silent: 0 });
    this.logger[level](message + before);
  }
}
