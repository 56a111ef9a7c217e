import type { ApprovalRequest, AuditEvent, Page } from 'nest-gatehouse';
import { evidenceOf, tellExecutions } from './audit.js';
import { expectThat } from './demo.failure.js';
import type { StartedRun } from './desk.client.js';
import { narrate, outcomeOf } from './narration.js';
import type { Story } from './story.js';

const SENTENCE = 'refund order 1001 25.00';

/** A refund is proposed, waits, is approved, runs once, and is on record. */
export async function refundStory(story: Story): Promise<void> {
  const { desk, tell } = story;
  tell(`\n1. support asks: "${SENTENCE}"`);
  const run = await desk.ask('support', SENTENCE);
  const first = await narrate(run.events, tell);
  const interrupted = first.at(-1);
  expectThat(
    interrupted !== undefined && outcomeOf(interrupted) === 'interrupt',
    'a run that waits for a person',
    interrupted,
  );
  await decide(story, run);
  tell(`\n4. support takes up the stream where it stopped, and follows the run to its end`);
  const rest = await narrate(await desk.follow('support', run.runId, interrupted.seq), tell);
  const result = rest.find(({ type }) => type === 'TOOL_CALL_RESULT');
  expectThat(String(result?.['content']).includes('"refunded":"25.00 EUR"'), 'a refund of 25.00 EUR', result);
  expectThat(outcomeOf(rest.at(-1)) === 'success', 'a run that succeeds', rest.at(-1));
  await onRecord(story, run);
}

async function decide({ desk, tell }: Story, { threadId }: StartedRun): Promise<void> {
  tell(`\n2. approver looks into the inbox`);
  const inbox = `agent/approvals?status=pending&threadId=${threadId}`;
  const { items } = await desk.get<Page<ApprovalRequest>>('approver', inbox);
  const [waiting] = items;
  expectThat(items.length === 1 && waiting !== undefined, 'one approval that waits', items);
  tell(`  waiting for a person: "${waiting.summary}", risk ${waiting.risk}, asked by ${waiting.requestedBy}`);
  tell(`  exactly these arguments: ${JSON.stringify(waiting.args)}, digest ${waiting.argumentsDigest.slice(0, 16)}…`);
  tell(`\n3. approver approves`);
  const answer = { approved: true, argumentsDigest: waiting.argumentsDigest, note: 'Checked with the customer.' };
  const decided = await desk.post<ApprovalRequest>('approver', `agent/approvals/${waiting.id}/decision`, answer);
  expectThat(decided.decidedBy.join() === 'approver', 'a decision by approver', decided);
  tell(`  decided by ${decided.decidedBy.join(', ')}`);
}

async function onRecord(story: Story, { runId }: StartedRun): Promise<void> {
  story.tell(`\n5. auditor reads what was executed in that run`);
  const rows = await evidenceOf<AuditEvent>(story, 'executions', runId, 1);
  tellExecutions(story, rows);
  const [row] = rows;
  expectThat(
    rows.length === 1 && row?.toolName === 'refund_order' && row.success,
    'one successful refund on record',
    rows,
  );
}
