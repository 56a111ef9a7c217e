import { setTimeout as pause } from 'node:timers/promises';

import type { Random } from '../../chaos/random.js';
import type { KnownRun, WireEvent } from './known.run.js';
import { listen } from './line.listener.js';

/** What a reader wants. */
export interface Wish {
  /** `run`: by our id; `any`: the whole run by whatever name fits what it has; else a segment by its name on the wire. */
  readonly of: string;
  readonly until: 'run' | 'segment';
  /** The id it has already. */
  readonly last?: string;
  /** What opens the segment, where this reader does. */
  readonly body?: object;
  readonly hasty?: number;
}

/** What became of it. */
export interface Reading {
  readonly wish: Wish;
  /** The segment that it was told, where it is one. */
  readonly of: string;
  /** By id; as they arrived. */
  readonly events: ReadonlyMap<number, string>;
  /** Ids that came twice, or out of order, and refusals that nobody should hear. */
  readonly wrong: readonly string[];
  /** Why the server did not open a segment. */
  readonly refused: string | undefined;
  readonly attached: number;
}

const LONGEST = 60_000;
/** Before it asks again. */
const PAUSE = 5;
const EXPECTED = new Set([200, 204, 404, 409]);

/** Asks for a run, or reads one, and attaches again wherever its line breaks, until it has heard what it wants. */
export class SteadfastReader {
  private readonly events = new Map<number, string>();
  private readonly wrong: string[] = [];
  private attached = 0;
  private fruitless = 0;
  private last: string | undefined;
  private over = false;
  private refused: string | undefined;
  private of: string;
  private hasty: number | undefined;

  /** `where`: the base URLs to try. */
  constructor(
    private readonly where: () => string,
    private readonly known: KnownRun,
    private readonly dice: Random,
    private readonly wish: Wish,
  ) {
    this.of = wish.of;
    this.last = wish.last;
    this.hasty = wish.hasty;
  }

  async read(): Promise<Reading> {
    const deadline = Date.now() + LONGEST;
    let opened = this.wish.body === undefined;
    while (!this.over) {
      if (Date.now() > deadline) throw new Error(`The end of ${this.of} was not heard; last: ${this.last}`);
      const status = opened ? await this.attach() : await this.open();
      if (this.over) break;
      await pause(PAUSE);
      // The request may have been lost on its way there, or only its answer.
      if (status === 404 && this.wish.body !== undefined && this.events.size === 0) opened = false;
      else if (status !== undefined || this.events.size > 0 || !opened) opened = true;
    }
    const { wish, of, events, wrong, refused, attached } = this;
    return { wish, of, events, wrong, refused, attached };
  }

  private open(): Promise<number | undefined> {
    const hasty = this.hasty;
    this.hasty = undefined;
    return this.listen('runs', { body: this.wish.body, ...(hasty === undefined ? {} : { hasty }) });
  }

  private async attach(): Promise<number | undefined> {
    this.attached += 1;
    const name = this.nameToAsk();
    const byHeader = this.last === undefined || this.dice.chance(0.7);
    const headers: Record<string, string> = this.last === undefined || !byHeader ? {} : { 'last-event-id': this.last };
    const query = byHeader ? '' : `?lastEventId=${this.last}`;
    const status = await this.listen(`runs/${name}/events${query}`, { headers });
    // Who wants the whole run has all of that segment: the next one is still to come.
    if (status === 204) this.over = this.wish.until === 'segment' || name === this.known.runId;
    return status;
  }

  private nameToAsk(): string {
    if (this.of !== 'run' && this.of !== 'any') return this.of;
    const next = this.known.segmentAt(Number(this.last ?? '0') + 1);
    return this.of === 'run' || next === undefined || this.dice.chance(0.4) ? this.known.runId : next;
  }

  private async listen(path: string, asked: { body?: object; headers?: Record<string, string>; hasty?: number }) {
    const url = `${this.where()}/agent/${path}`;
    const { fruitless } = this;
    this.fruitless += 1;
    const status = await listen(
      { url, fruitless, ...asked },
      {
        event: (id, data) => {
          this.note(id, data);
          return this.over && this.wish.until === 'segment';
        },
      },
    );
    if (status === undefined || EXPECTED.has(status)) return status;
    this.wrong.push(`${status} for ${path}, last: ${this.last}`);
    this.over = true;
    return status;
  }

  private note(id: string, data: string): void {
    // What the server says of itself, not of the run, has the id of the last event.
    if (/"code":"(stream_expired|shutting_down)"/.test(data)) return;
    const event = JSON.parse(data) as WireEvent;
    const ends = event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR';
    // What is said beside a run is stored nowhere.
    if (id.startsWith('0.')) {
      this.over ||= ends;
      if (ends) this.refused = event.code ?? event.type;
      return;
    }
    const seq = Number(id);
    this.fruitless = 0;
    const had = Number(this.last ?? '0');
    if (this.events.size === 0 ? seq <= had : seq !== had + 1) this.wrong.push(`${id} after ${this.last}`);
    this.events.set(seq, data);
    this.last = id;
    this.known.note(seq, event);
    // An answer that was given twice opens one segment, whose name is the first one's.
    if (this.wish.body !== undefined && event.type === 'RUN_STARTED') this.of = event.runId ?? this.of;
    this.over = ends && (this.wish.until === 'segment' || event.outcome?.type !== 'interrupt');
  }
}
