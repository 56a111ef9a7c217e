import { readEvents } from 'nest-gatehouse/testing';

import { fresh, post, type PostOptions } from './client.js';
import type { Desk } from './desk.app.js';

/** One chunk of a UI message stream. */
export type Chunk = Record<string, unknown> & { readonly type: string };

/** A user's message as `useChat` sends it. */
export const userMessage = (text: string, id = fresh('message')): object => ({
  id,
  role: 'user',
  parts: [{ type: 'text', text }],
});

/** An assistant's message that answers these approvals. */
export const answering = (...answers: readonly object[]): object => ({
  id: fresh('message'),
  role: 'assistant',
  parts: answers.map((approval, at) => ({
    type: 'tool-refund',
    toolCallId: `call-${at}`,
    input: {},
    state: 'approval-responded',
    approval,
  })),
});

/** A request body of `DefaultChatTransport`. */
export const chatBody = (id: string, messages: readonly object[], rest: object = {}): Record<string, unknown> => ({
  id,
  messages,
  trigger: 'submit-message',
  ...rest,
});

/** The data of every event of a UI message stream, `[DONE]` among them. */
export async function dataIn(response: Response): Promise<string[]> {
  return (await readEvents(response)).flatMap(({ data }) => (data === undefined ? [] : [data]));
}

/** The chunks of a stream, which must end as one does. */
export async function chunksIn(response: Response): Promise<Chunk[]> {
  const data = await dataIn(response);
  if (data.pop() !== '[DONE]') throw new Error('The stream did not end with [DONE].');
  return data.map((text) => JSON.parse(text) as Chunk);
}

/** Posts, and reads the whole answer. */
export const chat = async (desk: Desk, body: object, options: PostOptions = {}): Promise<Chunk[]> =>
  chunksIn(await post(desk, 'chat', body, options));

export const chunkTypes = (chunks: readonly Chunk[]): string[] => chunks.map(({ type }) => type);

/** The approvals that a stream asks for. */
export const requestedIn = (chunks: readonly Chunk[]): string[] =>
  chunks.flatMap(({ type, approvalId }) => (type === 'tool-approval-request' ? [String(approvalId)] : []));
