import type { AuditEvent, TerminalRecord } from 'nest-gatehouse';
import { evidenceOf, tellExecutions } from './audit.js';
import { expectThat } from './demo.failure.js';
import type { AgUiEvent } from './desk.client.js';
import { sentence } from './narration.js';
import type { Story } from './story.js';
import { table } from './table.js';

const SENTENCE = 'check carrier status of order 1001';

/** A client leaves while a tool runs: the run is cancelled, and the record says so. */
export async function disconnectStory(story: Story): Promise<void> {
  const { desk, tell } = story;
  tell(`\n6. support asks: "${SENTENCE}", and closes the connection while the carrier is being asked`);
  const { runId, events } = await desk.ask('support', SENTENCE);
  await leaveDuringTheCall(story, events);
  tell(`\n7. auditor reads how that run ended`);
  const terminals = await evidenceOf<TerminalRecord>(story, 'terminals', runId, 1);
  tell(table(terminals, ['agent', 'status', 'source', 'error']));
  const [terminal] = terminals;
  expectThat(terminals.length === 1 && terminal?.status === 'cancelled', 'one cancelled run on record', terminals);
  expectThat(terminal.source === 'client disconnected', 'a disconnect as the source', terminal);
  tell(`\n8. and what was executed in it`);
  const rows = await evidenceOf<AuditEvent>(story, 'executions', runId, 2);
  tellExecutions(story, rows);
  const run = rows.find(({ kind }) => kind === 'run');
  expectThat(run?.toolName === 'agent.run' && !run.success, 'a failed agent.run on record', rows);
  expectThat(run.error === 'cancelled: client disconnected', 'the reason on record', run);
}

/** Leaving the loop closes the connection. */
async function leaveDuringTheCall({ tell }: Story, events: AsyncIterable<AgUiEvent>): Promise<void> {
  for await (const event of events) {
    const line = sentence(event);
    if (line !== undefined) tell(line);
    if (event.type === 'TOOL_CALL_END') break;
  }
  tell('  the connection is closed');
}
