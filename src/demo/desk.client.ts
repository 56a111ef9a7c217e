import { randomUUID } from 'node:crypto';
import { eventsOf } from 'nest-gatehouse/testing';
import { DemoFailure } from './demo.failure.js';

/** An AG-UI event, as far as the stories read it. */
export interface AgUiEvent {
  readonly type: string;
  /** The frame's id, from which a stream can be taken up again. */
  readonly seq: number;
  readonly [field: string]: unknown;
}

/** A run that was started, and its first stream. */
export interface StartedRun {
  readonly runId: string;
  readonly threadId: string;
  readonly events: AsyncIterable<AgUiEvent>;
}

const LONGEST_STREAM_MS = 30_000;

/** What a person does at the desk over HTTP; the person is the bearer token. */
export class DeskClient {
  constructor(private readonly baseUrl: string) {}

  /** Says something to the agent. Leaving the loop over its events is a disconnect. */
  async ask(person: string, text: string): Promise<StartedRun> {
    const threadId = randomUUID();
    const messages = [{ id: randomUUID(), role: 'user', content: text }];
    const response = await this.send(person, 'agent/runs', { threadId, runId: randomUUID(), messages });
    return { runId: response.headers.get('Gatehouse-Run-Id') ?? '', threadId, events: agUi(response) };
  }

  /** A run's events after `lastEventId`, until it has ended. */
  async follow(person: string, runId: string, lastEventId: number): Promise<AsyncIterable<AgUiEvent>> {
    return agUi(await this.send(person, `agent/runs/${runId}/events?lastEventId=${lastEventId}`));
  }

  async get<T>(person: string, path: string): Promise<T> {
    return (await (await this.send(person, path)).json()) as T;
  }

  async post<T>(person: string, path: string, body: unknown): Promise<T> {
    return (await (await this.send(person, path, body)).json()) as T;
  }

  private async send(person: string, path: string, body?: unknown): Promise<Response> {
    const headers = { Authorization: `Bearer ${person}`, 'Content-Type': 'application/json' };
    const request = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${this.baseUrl}/${path}`, request);
    if (response.ok) return response;
    throw new DemoFailure(`${path} as ${person} answered ${response.status}: ${await response.text()}`);
  }
}

async function* agUi(response: Response): AsyncGenerator<AgUiEvent, void, undefined> {
  for await (const { id, data } of eventsOf(response, LONGEST_STREAM_MS)) {
    if (data !== undefined) yield { ...(JSON.parse(data) as AgUiEvent), seq: Number(id) };
  }
}
