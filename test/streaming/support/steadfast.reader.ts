import { setTimeout as pause } from 'node:timers/promises';

import { eventsOf } from 'nest-gatehouse/testing';

import { ANN, headersOf } from '../../e2e/support/client.js';

/** What a client does that wants the whole of a run over a bad line. */
export interface Reading {
  /** By id; as they arrived. */
  readonly events: ReadonlyMap<string, string>;
  /** Ids that came twice, or out of order: never. */
  readonly wrong: readonly string[];
  /** How often it had to attach again. */
  readonly attached: number;
}

const HEADERS = { ...headersOf(ANN), 'content-type': 'application/json' };
/** A server says something at least every heartbeat: longer silence is a dead line. In milliseconds. */
const LONGEST_SILENCE = 250;
const LONGEST = 60_000;
/** Before it asks again. */
const PAUSE = 5;

/** Asks for a run, or reads one, and attaches again wherever its line breaks, until it has heard the end. */
export class SteadfastReader {
  private readonly events = new Map<string, string>();
  private readonly wrong: string[] = [];
  private attached = 0;
  private last: string | undefined;
  private over = false;

  /** `where`: the base URLs to try, in turns; `body`: what starts the run, where this reader does. */
  constructor(
    private readonly where: () => string,
    private readonly runId: string,
    private readonly body?: object,
  ) {}

  async read(): Promise<Reading> {
    const deadline = Date.now() + LONGEST;
    let started = this.body === undefined;
    while (!this.over) {
      if (Date.now() > deadline) throw new Error(`The end of ${this.runId} was not heard; last: ${this.last}`);
      const status = started ? await this.attach() : await this.start();
      await pause(PAUSE);
      // The start may have been lost on its way there, or only its answer.
      if (status === 404 && this.body !== undefined) started = false;
      else if (status !== undefined || this.last !== undefined || !started) started = true;
    }
    return { events: this.events, wrong: this.wrong, attached: this.attached };
  }

  private start(): Promise<number | undefined> {
    return this.listen('runs', {}, JSON.stringify(this.body));
  }

  private attach(): Promise<number | undefined> {
    this.attached += 1;
    const headers: Record<string, string> = this.last === undefined ? {} : { 'last-event-id': this.last };
    return this.listen(`runs/${this.runId}/events`, headers);
  }

  /** Reads until the line breaks or is silent. Answers the status; nothing where there was no answer. */
  private async listen(path: string, headers: Record<string, string>, body?: string): Promise<number | undefined> {
    const dead = new AbortController();
    let silence = setTimeout(() => dead.abort(), LONGEST_SILENCE);
    const alive = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => dead.abort(), LONGEST_SILENCE);
    };
    try {
      const response = await fetch(`${this.where()}/agent/${path}`, {
        ...(body === undefined ? {} : { method: 'POST', body }),
        headers: { ...HEADERS, ...headers },
        signal: dead.signal,
      });
      if (response.status === 204) this.over = true;
      if (response.status !== 200) return response.status;
      await this.take(response, alive);
      return 200;
    } catch {
      return undefined;
    } finally {
      clearTimeout(silence);
    }
  }

  private async take(response: Response, alive: () => void): Promise<void> {
    for await (const { id, data } of eventsOf(response, LONGEST)) {
      alive();
      if (data !== undefined && id !== undefined) this.note(id, data);
    }
  }

  private note(id: string, data: string): void {
    // What the server says of itself, not of the run, has the id of the last event.
    if (/"code":"(stream_expired|shutting_down)"/.test(data)) return;
    if (Number(id) !== Number(this.last ?? '0') + 1) this.wrong.push(`${id} after ${this.last}`);
    this.events.set(id, data);
    this.last = id;
    const { type } = JSON.parse(data) as { type: string };
    this.over = type === 'RUN_FINISHED' || type === 'RUN_ERROR';
  }
}
