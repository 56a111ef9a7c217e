import { HttpAgent, type AgentSubscriber } from '@ag-ui/client';
import { readEvents, type ReadEventsOptions } from 'nest-gatehouse/testing';

import type { Desk } from './desk.app.js';

export interface Who {
  readonly user?: string;
  readonly org?: string;
  readonly roles?: string;
}

export const headersOf = ({ user, org, roles }: Who): Record<string, string> => ({
  ...(user === undefined ? {} : { 'x-user': user }),
  ...(org === undefined ? {} : { 'x-org': org }),
  ...(roles === undefined ? {} : { 'x-roles': roles }),
});

export const ANN: Who = { user: 'ann', org: 'acme' };

let count = 0;
/** A name nobody used in this file. */
export const fresh = (what: string): string => `${what}-${(count += 1)}`;

/** A user's first request in AG-UI form. */
export const asks = (text: string, rest: object = {}): Record<string, unknown> => ({
  threadId: fresh('thread'),
  runId: fresh('segment'),
  messages: [{ id: fresh('message'), role: 'user', content: text }],
  tools: [],
  context: [],
  ...rest,
});

export interface PostOptions {
  readonly who?: Who;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** POSTs JSON, or the text as it is. */
export const post = (
  desk: Desk,
  path: string,
  body: unknown,
  { who = ANN, headers, signal }: PostOptions = {},
): Promise<Response> =>
  fetch(`${desk.url}/agent/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headersOf(who), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal,
  });

export const get = (desk: Desk, path: string, { who = ANN, headers, signal }: PostOptions = {}): Promise<Response> =>
  fetch(`${desk.url}/agent/${path}`, { headers: { ...headersOf(who), ...headers }, signal });

export const jsonIn = async <T>(response: Promise<Response>): Promise<T> => (await (await response).json()) as T;

/** Our id of the newest run of a request's thread; empty where nothing was started. */
export async function runIdOf(desk: Desk, input: Record<string, unknown>): Promise<string> {
  const page = await jsonIn<{ items: { id: string }[] }>(
    get(desk, `runs?threadId=${String(input['threadId'])}&limit=1`),
  );
  return page.items[0]?.id ?? '';
}

export const statusOf = async (desk: Desk, runId: string): Promise<string> =>
  (await jsonIn<{ status: string }>(get(desk, `runs/${runId}`))).status;

/** One AG-UI event as it arrived. */
export interface Received {
  readonly id: number;
  readonly event: Record<string, unknown> & { readonly type: string };
}

/** The events of a stream, comments apart. */
export async function eventsIn(response: Response, options: ReadEventsOptions = {}): Promise<Received[]> {
  const frames = await readEvents(response, options);
  return frames.flatMap(({ id, data }) =>
    data === undefined ? [] : [{ id: Number(id), event: JSON.parse(data) as Received['event'] }],
  );
}

export const typesOf = (received: readonly Received[]): string[] => received.map(({ event }) => event.type);

/** The status and code of a refusal, which must be problem details. */
export async function problemIn(response: Response): Promise<string> {
  const type = response.headers.get('content-type');
  const body = (await response.json()) as Record<string, unknown>;
  const complete = ['type', 'title', 'status', 'detail', 'code', 'correlationId'].every((name) => name in body);
  return `${response.status} ${String(body['code'])}${type === 'application/problem+json' && complete ? '' : ` (not a problem: ${type} ${JSON.stringify(body)})`}`;
}

/** The real AG-UI client, on a thread of its own. */
export const agentOf = (desk: Desk, who: Who = ANN): HttpAgent =>
  new HttpAgent({ url: `${desk.url}/agent/runs`, threadId: fresh('thread'), headers: headersOf(who) });

/** What one run of the AG-UI client came to. */
export interface Played {
  readonly types: string[];
  readonly outcome: unknown;
  readonly error: string | undefined;
}

/** Runs the AG-UI client once and notes what it saw. */
export async function play(agent: HttpAgent, parameters: Parameters<HttpAgent['runAgent']>[0] = {}): Promise<Played> {
  const types: string[] = [];
  let outcome: unknown;
  let error: string | undefined;
  const subscriber: AgentSubscriber = {
    onEvent: ({ event }) => void types.push(event.type),
    onRunFinishedEvent: ({ event }) => void (outcome = event.outcome?.type),
    onRunErrorEvent: ({ event }) => void (error = event.code),
  };
  await agent.runAgent({ runId: fresh('segment'), ...parameters }, subscriber);
  return { types, outcome, error };
}
