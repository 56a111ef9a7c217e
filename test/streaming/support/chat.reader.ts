import { setTimeout as pause } from 'node:timers/promises';

import type { KnownRun } from './known.run.js';
import { listen } from './line.listener.js';

/** What one answer of the server told a chat: the latest segment, or the whole message so far. */
export interface Telling {
  readonly what: 'segment' | 'whole';
  readonly events: readonly { readonly id: string; readonly data: string }[];
  /** It came to `[DONE]`. */
  readonly done: boolean;
}

const PAUSE = 5;

/** The id of what is said beside a run, and stored nowhere: a refusal. */
export const isBeside = (id: string): boolean => id.startsWith('0.');

/** A chat's client: what it posts is answered by a stream, and where that breaks it asks for the message under way. */
export class ChatReader {
  readonly tellings: Telling[] = [];
  /** Of every event that it had: each names a place in AG-UI's stream too. */
  readonly ids: string[] = [];
  private fruitless = 0;

  constructor(
    private readonly where: () => string,
    private readonly known: KnownRun,
    private readonly chatId: string,
  ) {}

  /** Posts once. Answers whether it heard the end of the stream. */
  async post(body: object, hasty?: number): Promise<boolean> {
    const status = await this.hear('chat', 'segment', { body, ...(hasty === undefined ? {} : { hasty }) });
    await pause(PAUSE);
    return status === 200 && this.heardTheEnd();
  }

  /** Attaches until it has heard the end, or nothing is under way. */
  async follow(): Promise<void> {
    for (;;) {
      const status = await this.hear(`chat/${this.chatId}/stream`, 'whole', {});
      if (status === 204 || (status === 200 && this.heardTheEnd())) return;
      if (status !== undefined && status !== 200) throw new Error(`${status} for the stream of ${this.chatId}`);
      await pause(PAUSE);
    }
  }

  private heardTheEnd(): boolean {
    return this.tellings.at(-1)?.done === true;
  }

  private async hear(path: string, what: Telling['what'], asked: { body?: object; hasty?: number }) {
    const events: { id: string; data: string }[] = [];
    const url = `${this.where()}/agent/${path}`;
    const status = await listen(
      { url, fruitless: this.fruitless, ...asked },
      {
        answered: ({ headers }) => {
          const runId = headers.get('gatehouse-run-id');
          if (runId !== null) this.known.named(runId);
        },
        event: (id, data) => {
          events.push({ id, data });
          return false;
        },
      },
    );
    this.fruitless = events.length > 0 || status === 204 ? 0 : this.fruitless + 1;
    const done = events.at(-1)?.data === '[DONE]';
    if (events.length > 0) this.tellings.push({ what, events, done });
    this.ids.push(...events.flatMap(({ id }) => (isBeside(id) ? [] : [id])));
    return status;
  }
}
