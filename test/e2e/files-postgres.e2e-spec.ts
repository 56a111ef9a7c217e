import { TypeOrmModule } from '@nestjs/typeorm';
import type { ThreadMessage } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { ChatClient } from '../ai-sdk/support/chat.client.js';
import { sqlOn } from '../conformance/support/sql.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { agentOf, fresh, play } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';
import { filePart, imagePart, KEPT, PNG } from './support/pictures.js';

const filesIn = (messages: readonly ThreadMessage[] = []) =>
  messages.flatMap((message) => (message.role === 'user' ? [{ text: message.text, files: message.files }] : []));
const ASKED = [{ text: 'refund 7', files: [KEPT] }];

describe('a file on two replicas and one database', () => {
  let database: FreshDatabase;
  let here: Desk;
  let there: Desk;
  const replica = () =>
    openDesk({ persistence: {}, streaming: { files: ['image/png'] } }, [
      TypeOrmModule.forRoot({ type: 'postgres', url: database.url, autoLoadEntities: true }),
    ]);
  beforeAll(async () => {
    database = await freshDatabase();
    here = await replica();
    there = await replica();
  });
  afterAll(async () => {
    await Promise.all([here.close(), there.close()]);
    await database.drop();
  });

  /** Both play the same script, so that whoever goes on knows its place. */
  const playing = () => {
    const [first, second] = [here, there].map((desk) =>
      desk.play([[call('refund', { order: 7, amount: 5 })], [says('Refunded.')]]),
    );
    return { asked: () => filesIn(first?.requests[0]), resumed: () => filesIn(second?.requests[0]) };
  };

  it('is seen by the replica that goes on with the run of an AG-UI client', async () => {
    const script = playing();
    const agent = agentOf(here);
    agent.addMessage({ id: fresh('m'), role: 'user', content: [{ type: 'text', text: 'refund 7' }, imagePart()] });
    expect(await play(agent)).toMatchObject({ outcome: 'interrupt' });
    agent.url = `${there.url}/agent/runs`;
    const resume = agent.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: 'resolved' as const,
      payload: { approved: true },
    }));
    expect(await play(agent, { resume })).toMatchObject({ outcome: 'success' });
    expect([script.asked(), script.resumed()]).toEqual([ASKED, ASKED]);
    expect(there.tools.done.splice(0)).toEqual(['refund 7 5']);
  });

  it("is seen by the replica that goes on with the run of the AI SDK's client, and by one that was started since", async () => {
    const script = playing();
    const id = fresh('files-chat');
    const chat = new ChatClient(`${here.url}/agent/chat`, { id });
    await chat.sendMessage({ text: 'refund 7', files: [filePart()] });
    const window = new ChatClient(`${there.url}/agent/chat`, { id, messages: structuredClone(chat.messages) });
    await window.addToolApprovalResponse({ id: window.approvals[0] ?? '', approved: true });
    await window.rest();
    expect([window.status, window.error]).toEqual(['ready', undefined]);
    expect([script.asked(), script.resumed()]).toEqual([ASKED, ASKED]);
    expect(there.tools.done.splice(0)).toEqual(['refund 7 5']);
    const later = await replica();
    try {
      const next = later.play([[says('Yes.')]]);
      // A browser that has forgotten everything but the chat's id.
      const blank = new ChatClient(`${later.url}/agent/chat`, { id });
      await blank.sendMessage({ text: 'was it?' });
      expect(filesIn(next.requests[0])).toEqual([...ASKED, { text: 'was it?', files: undefined }]);
    } finally {
      await later.close();
    }
  });

  it('is stored in the thread alone: no event, no record, no approval has it', async () => {
    const tables = await sqlOn<{ name: string }>(
      database.url,
      "select quote_ident(tablename) as name from pg_tables where schemaname = 'gatehouse' order by 1",
    );
    const hex = Buffer.from(PNG).toString('hex');
    const holding: string[] = [];
    for (const { name } of tables) {
      const [found] = await sqlOn<{ count: number }>(
        database.url,
        `select count(*)::int as count from gatehouse.${name} t where t::text like any ($1)`,
        [[`%${PNG}%`, `%${hex}%`]],
      );
      if (found !== undefined && found.count > 0) holding.push(`${name} ${found.count}`);
    }
    expect(tables.length).toBeGreaterThan(10);
    expect(holding).toEqual(['thread_message 2']);
  });
});
