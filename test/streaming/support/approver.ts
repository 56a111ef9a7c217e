import { setTimeout as pause } from 'node:timers/promises';

import { ANN, headersOf } from '../../e2e/support/client.js';
import { EDITED, type Word } from './fault.story.js';

/** An approval as its inbox shows it. */
export interface Waiting {
  readonly id: string;
  readonly args: { readonly order: number };
  readonly argumentsDigest: string;
}

/** A person whose page does not answer tries again. In milliseconds. */
const PATIENCE = 1_000;
const PAUSE = 5;

export const opposite = (word: Word): Word => (word === 'no' ? 'yes' : 'no');

/** What a client or an approver says, with what it changes. */
export const payloadOf = (word: Word, { args }: Waiting): object => ({
  approved: word !== 'no',
  ...(word === 'edited' ? { editedArgs: { ...args, amount: EDITED } } : {}),
});

/** A person decides everything that waits, over the same lines; until each is answered. Answers the statuses. */
export async function decideAll(where: () => string, waiting: readonly Waiting[], word: Word): Promise<number[]> {
  const statuses: number[] = [];
  for (const approval of waiting) {
    const body = JSON.stringify({ ...payloadOf(word, approval), argumentsDigest: approval.argumentsDigest });
    statuses.push(await decided(where, approval.id, body));
  }
  return statuses;
}

async function decided(where: () => string, id: string, body: string): Promise<number> {
  for (;;) {
    try {
      const response = await fetch(`${where()}/agent/approvals/${id}/decision`, {
        method: 'POST',
        headers: { ...headersOf(ANN), 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(PATIENCE),
      });
      await response.arrayBuffer();
      return response.status;
    } catch {
      await pause(PAUSE);
    }
  }
}
