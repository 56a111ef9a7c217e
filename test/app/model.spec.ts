import { chooseModel } from '../../src/agent/model.choice.js';
import { ChatServer, continues, starts, streams, words } from '../ai-sdk/support/chat.server.js';
import { openDesk } from './support/desk.js';

describe('a model of MODEL_BASE_URL', () => {
  it('is offered the tools of the desk, proposes a call, reads its result, and answers', async () => {
    const server = new ChatServer([
      streams([starts(0, 'call-1', 'lookup_order'), continues(0, '{"order":'), continues(0, '1001}')], 'tool_calls'),
      streams(words('It costs ', '999.00 EUR.'), 'stop'),
    ]);
    const model = chooseModel({ MODEL: 'loopback', MODEL_BASE_URL: await server.listen() });
    const desk = await openDesk({ model });
    try {
      const told = await desk.as('support').ask('What does order 1001 cost?');
      expect(told.calls).toEqual([['lookup_order', { order: 1001 }]]);
      expect([told.text, told.last?.outcome]).toEqual(['It costs 999.00 EUR.', { type: 'success' }]);
      const [first, second] = server.requests;
      expect(first?.tools?.map(({ function: { name } }) => name).toSorted()).toEqual([
        'delete_customer',
        'export_report',
        'flaky_carrier_status',
        'list_all_customers',
        'lookup_order',
        'refund_order',
        'search_orders',
        'send_receipt',
      ]);
      const refund = first?.tools?.find(({ function: { name } }) => name === 'refund_order')?.function.parameters;
      expect(refund).toMatchObject({
        required: expect.arrayContaining(['order', 'amount']),
        properties: { amount: { type: 'integer', minimum: 1, description: 'Cents: 2500 is 25.00 EUR' } },
      });
      expect(second?.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call-1', content: told.results[0] });
    } finally {
      await desk.close();
      await server.close();
    }
  });
});
