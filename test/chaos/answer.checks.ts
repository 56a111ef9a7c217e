import { sqlOn } from '../conformance/support/sql.js';
import { AMOUNT, type Posted } from './counted.call.js';
import type { PlannedAnswer } from './decision.plan.js';

interface Decided {
  readonly id: string;
  readonly status: string;
  readonly decision: boolean | null;
  readonly amount: number;
  readonly voters: readonly string[];
  readonly refused: readonly string[];
}

const DECIDED = `select a.id, a.status, a.decision, (coalesce(a.edited_validated, a.validated)::json->>'amount')::integer as amount,
    array(select v.principal_id from gatehouse.approval_vote v where v.approval_id = a.id) as voters,
    array(select e.principal_id from gatehouse.approval_event e where e.approval_id = a.id and e.kind = 'refused') as refused
  from gatehouse.approval_request a`;

/** Where what people were told and what is stored do not agree. */
export async function answerProblems(url: string, posted: readonly Posted[]): Promise<readonly string[]> {
  const rows = new Map((await sqlOn<Decided>(url, DECIDED)).map((row) => [row.id, row]));
  return posted.flatMap((one) => {
    const row = rows.get(one.approvalId);
    const wrong = row === undefined ? 'it is not stored' : (unexpected(one) ?? contradicted(one, row));
    return wrong === undefined
      ? []
      : [`${saidOf(one)} was answered with ${one.status}, but ${wrong}: ${one.body.slice(0, 300)}`];
  });
}

const ALLOWED: Readonly<Record<PlannedAnswer['kind'], readonly number[]>> = {
  honest: [200, 409],
  'wrong digest': [409],
  'unknown id': [404],
  stranger: [403, 404],
  'forged field': [422],
  'no answer': [400],
};

const unexpected = ({ answer, status }: Posted): string | undefined =>
  ALLOWED[answer.kind].includes(status) ? undefined : `only ${ALLOWED[answer.kind].join(' or ')} is right`;

/** An answer that was taken is the decision that stands; a stranger's attempt is in the evidence. */
function contradicted({ answer, status, body }: Posted, row: Decided): string | undefined {
  if (answer.kind === 'stranger')
    return row.refused.includes(answer.by.id) ? undefined : 'the attempt is not in the evidence';
  if (answer.kind !== 'honest' || status !== 200) return undefined;
  // A stream that says nothing but an error took no answer.
  if (answer.interrupt === true && !body.includes('RUN_STARTED')) return undefined;
  if (row.decision !== answer.approved) return `the decision that stands is ${String(row.decision)}`;
  if (row.voters.length !== 1) return `the votes are ${row.voters.join(', ') || 'none'}`;
  const amount = AMOUNT + (answer.raise ?? 0);
  return answer.approved && row.amount !== amount ? `what was approved is ${row.amount}, not ${amount}` : undefined;
}

const saidOf = ({ approvalId, answer: { kind, by, approved, raise = 0 } }: Posted): string =>
  `${kind} ${approved ? 'yes' : 'no'} (+${raise}) of ${by.id} to ${approvalId}`;
