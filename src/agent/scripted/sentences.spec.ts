import { EXAMPLES, responsesFor } from './sentences.js';

const told = (text: string) => responsesFor(text)?.map((calls) => calls.map(({ toolName, args }) => [toolName, args]));

describe('the sentences of the scripted model', () => {
  it.each([
    ['look up order 1001', 'lookup_order', { order: 1001 }],
    ['search orders of customer 3', 'search_orders', { customer: 3 }],
    ['refund order 1001 25.00', 'refund_order', { order: 1001, amount: 2500 }],
    ['send receipt for order 1001', 'send_receipt', { order: 1001 }],
    ['delete customer 7', 'delete_customer', { customer: 7 }],
    ['export report', 'export_report', {}],
    ['check carrier status of order 1001', 'flaky_carrier_status', { order: 1001 }],
    ['list all customers', 'list_all_customers', {}],
  ])('%s: %s', (text, toolName, args) => {
    expect(told(text)).toEqual([[[toolName, args]]]);
    expect(EXAMPLES).toContain(text);
  });

  it('puts both sides of "and" in one response, and both sides of "then" in two', () => {
    const look = ['lookup_order', { order: 1001 }];
    const report = ['export_report', {}];
    expect(told('look up order 1001 and export report')).toEqual([[look, report]]);
    expect(told('look up order 1001 then export report')).toEqual([[look], [report]]);
    expect(told('Look up order 1001, then export the report and look up order 1001.')).toEqual([
      [look],
      [report, look],
    ]);
  });

  it('passes on an amount that no cents fit, for validation to refuse', () => {
    expect(told('refund order 1001 123456789')).toEqual([[['refund_order', { order: 1001, amount: '123456789' }]]]);
  });

  it.each([['hello'], [''], ['look up order 1001 and dance'], ['refund order 1001 -5']])(
    'does not understand %j',
    (text) => {
      expect(responsesFor(text)).toBeUndefined();
    },
  );
});
