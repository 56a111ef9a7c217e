import type { AuditEvent } from 'nest-gatehouse';
import { openDesk, type Desk } from './support/desk.js';

/** One of each way a call may go. */
const SENTENCES = [
  'look up order 1001 and search orders of customer 3 then send receipt for order 1001',
  'look up order 999',
  'check carrier status of order 1001',
  'list all customers',
  'refund order 1001 123456789',
  'refund order 1001 25.00',
  'delete customer 7',
];

describe('the audit of the reference app', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk?.close());

  it('has one execution for each method that was started, and none for a call that did not run', async () => {
    const auditor = desk.as('auditor');
    const seen: string[] = [];
    for (const sentence of SENTENCES) {
      const told = await desk.as('support').ask(sentence);
      if (told.interrupts.length > 0) await desk.as('approver').decide(told.approvalId, { approved: false });
      if (told.interrupts.length > 0) await desk.as('support').follow(told.runId);
      const executions = (await auditor.executions(told.runId)).filter(({ kind }) => kind === 'tool');
      const operations = await auditor.operations(told.runId);
      for (const { id, toolName, status, executionStarted } of operations) {
        const own: readonly AuditEvent[] = executions.filter(({ operationId }) => operationId === id);
        seen.push(`${toolName} ${status} ${executionStarted} ${own.length}`);
        expect(own.every((row) => row.toolName === toolName)).toBe(true);
      }
      expect(executions).toHaveLength(operations.filter(({ executionStarted }) => executionStarted).length);
    }
    expect(seen.toSorted()).toEqual([
      'delete_customer denied false 0',
      'flaky_carrier_status failed true 1',
      'list_all_customers denied false 0',
      'lookup_order completed true 1',
      'lookup_order failed true 1',
      'refund_order denied false 0',
      'refund_order failed false 0',
      'search_orders completed true 1',
      'send_receipt completed true 1',
    ]);
  });
});
