import { TypeOrmModule } from '@nestjs/typeorm';
import { call, says } from 'nest-gatehouse/testing';

import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { answering, chat, chatBody, chunksIn, chunkTypes, requestedIn, userMessage } from './support/chat.js';
import { fresh, get, post } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';
import { Gate } from './support/gate.js';

describe('chat on two replicas and one database', () => {
  let database: FreshDatabase;
  let here: Desk;
  let there: Desk;
  beforeAll(async () => {
    database = await freshDatabase();
    const replica = () =>
      openDesk({ persistence: {} }, [
        TypeOrmModule.forRoot({ type: 'postgres', url: database.url, autoLoadEntities: true }),
      ]);
    here = await replica();
    there = await replica();
  });
  afterAll(async () => {
    await Promise.all([here.close(), there.close()]);
    await database.drop();
  });

  it('a call that was asked for by one is approved at the other, and continues the same message', async () => {
    for (const desk of [here, there])
      desk.play([[call('refund', { order: 7, amount: 5 }, 'far-1')], [says('Refunded.')]]);
    const id = fresh('chat');
    const question = userMessage('refund 7');
    const first = await chat(here, chatBody(id, [question]));
    const second = await chat(
      there,
      chatBody(id, [question, answering({ id: requestedIn(first)[0], approved: true })]),
    );
    expect(second.slice(0, 2)).toEqual([
      first[0],
      { type: 'tool-output-available', toolCallId: 'far-1', output: 'refunded' },
    ]);
    expect([here.tools.done, there.tools.done]).toEqual([[], ['refund 7 5']]);
  });

  it('a long message that goes on at one is come back to at the other, whole', async () => {
    const held = new Gate();
    const parts = Array.from({ length: 200 }, (_, at) => `part-${at}`);
    here.play([
      async (run) => {
        for (const messageId of parts) {
          run.emit({ type: 'text.start', messageId });
          run.emit({ type: 'text.delta', messageId, delta: messageId });
          run.emit({ type: 'text.end', messageId });
        }
        return [call('refund', { order: 8 })];
      },
      async () => (await held.pass(), [says('Refunded.')]),
    ]);
    const id = fresh('chat');
    const question = userMessage('refund 8');
    const first = await chat(here, chatBody(id, [question]));
    const answer = answering({ id: requestedIn(first)[0], approved: true });
    const going = post(here, 'chat', chatBody(id, [question, answer]));
    await held.reached();
    const back = await get(there, `chat/${id}/stream`);
    held.open();
    const [rest, whole] = await Promise.all([chunksIn(await going), chunksIn(back)]);
    const asked = ['tool-approval-request', 'finish'];
    expect(whole).toEqual([...first.filter(({ type }) => !asked.includes(type)), ...rest.slice(1)]);
    expect(chunkTypes(whole).filter((type) => type === 'text-delta')).toHaveLength(201);
  });
});
