import { call, says } from 'nest-gatehouse/testing';

import { ANN, asks, eventsIn, post, type Who } from './client.js';
import type { Desk } from './desk.app.js';

/** A run that waits for a person. */
export interface Waiting {
  readonly input: Record<string, unknown>;
  readonly runId: string;
  readonly approvalId: string;
  readonly digest: string;
}

/** Starts a run that stops at one gated call of this tool, about order 7. */
export async function suspend(desk: Desk, tool: string, who: Who = ANN): Promise<Waiting> {
  desk.play([[call(tool, { order: 7 })], [says('Done.')]]);
  const input = asks('go');
  const response = await post(desk, 'runs', input, { who });
  const outcome = (await eventsIn(response)).at(-1)?.event['outcome'] as {
    interrupts: { id: string; metadata: { gatehouse: { argumentsDigest: string } } }[];
  };
  const [interrupt] = outcome.interrupts;
  return {
    input,
    runId: response.headers.get('gatehouse-run-id') ?? '',
    approvalId: interrupt?.id ?? '',
    digest: interrupt?.metadata.gatehouse.argumentsDigest ?? '',
  };
}

/** Answers it over HTTP, with the digest that was shown unless the body says another. */
export const decide = (desk: Desk, waiting: Waiting, body: object, who: Who = ANN): Promise<Response> =>
  post(desk, `approvals/${waiting.approvalId}/decision`, { argumentsDigest: waiting.digest, ...body }, { who });
