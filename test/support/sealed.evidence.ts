import { setTimeout as pause } from 'node:timers/promises';

const WITHIN = 10_000;

/** Waits until no fact is on its way into the log: views and tables of the evidence show what is there. Somebody alive must move them. */
export async function sealedEvidence(sql: (text: string) => Promise<readonly unknown[]>): Promise<void> {
  const until = Date.now() + WITHIN;
  while ((await sql('select from gatehouse.evidence_outbox limit 1')).length > 0) {
    if (Date.now() > until) throw new Error(`Facts still wait to be sealed after ${WITHIN} ms.`);
    await pause(5);
  }
}
