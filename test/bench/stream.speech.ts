import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** How one stream speaks: when it may begin, how much it says, and how fast. */
export interface Speech {
  readonly begin: Promise<void>;
  readonly deltas: number;
  /** Milliseconds between two deltas; 0: one in every turn of the loop. */
  readonly every: number;
  /** Each delta names the moment when it was said. */
  readonly stamped?: boolean;
  /** Milliseconds by which the streams begin one after another. */
  readonly apart?: number;
}

/** What is said at the moment; set before the streams are opened. */
export class Stage {
  private start: () => void = () => undefined;
  private opened = 0;
  speech: Speech = { begin: Promise.resolve(), deltas: 0, every: 0 };

  set(speech: Omit<Speech, 'begin'>): void {
    this.opened = 0;
    this.speech = { ...speech, begin: new Promise((resolve) => (this.start = resolve)) };
  }

  begin(): void {
    this.start();
  }

  /** The deltas of one stream, as a model would say them. */
  async *deltas(): AsyncGenerator<string, void, void> {
    const { begin, deltas, every, stamped, apart = 0 } = this.speech;
    const place = (this.opened += 1);
    await begin;
    if (apart > 0) await pause(place * apart);
    for (let at = 0; at < deltas; at += 1) {
      yield stamped === true ? `@${process.hrtime.bigint()}@ ` : `word ${at} `;
      await (every > 0 ? pause(every) : nextTurn());
    }
  }
}
