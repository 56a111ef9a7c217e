import { readEvents } from 'nest-gatehouse/testing';
import { openDesk, type Desk } from './support/desk.js';

describe('the chat of the reference app', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk?.close());

  const ask = (person: string, text: string, id: string): Promise<Response> =>
    desk.as(person).post('agent/chat', {
      id,
      messages: [{ id: `${id}-1`, role: 'user', parts: [{ type: 'text', text }] }],
      trigger: 'submit-message',
    });

  it('answers as a UI message stream, and a refund waits in the inbox', async () => {
    const response = await ask('support', 'refund order 1001 25.00', 'chat-1');
    expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1');
    const data = (await readEvents(response)).flatMap((frame) => frame.data ?? []);
    expect(data.at(-1)).toBe('[DONE]');
    const asked = data.find((text) => text.includes('tool-approval-request')) ?? '{}';
    const { approvalId } = JSON.parse(asked) as { approvalId: string };
    const [waiting] = await desk.as('approver').approvals(response.headers.get('gatehouse-run-id') ?? '');
    expect(waiting).toMatchObject({ id: approvalId, toolName: 'refund_order', status: 'pending' });
    expect(await desk.query('select id from desk.refunds')).toEqual([]);
  });

  it('is closed to whoever may not start runs', async () => {
    const response = await ask('nobody', 'look up order 1001', 'chat-2');
    expect(response.status).toBe(401);
  });
});
