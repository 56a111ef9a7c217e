import { CHOICES, type Choices, type Script } from './script.js';
import { oneRecordForEachStart, skippedByWhatBlocked } from './ledger.invariants.js';
import { executedIsInspectedIsApproved } from './order.invariants.js';
import { Theatre } from './theatre.js';

let theatre: Theatre;
beforeAll(async () => {
  theatre = await Theatre.open();
});
afterAll(() => theatre.close());

const PLAIN = Object.fromEntries(Object.entries(CHOICES).map(([role, [first]]) => [role, first])) as Choices;

/** One response of these calls, as a shrunk case of the properties. */
const script = (calls: readonly Partial<Choices>[], others: Partial<Script> = {}): Script => ({
  responses: [calls.map((choices) => ({ ...PLAIN, ...choices }))],
  inspected: false,
  hooked: false,
  wrapped: true,
  converts: true,
  parallelToolCalls: 1,
  toolRetries: 1,
  redirects: 1,
  toolCalls: 200,
  output: 'words',
  ...others,
});

/** Cases that a property has found, each shrunk to what matters. */
describe('once found by a property', () => {
  it('a start that its method withdrew is no execution, in either ledger', async () => {
    const performance = await theatre.perform(script([{ tool: 'veto' }, { tool: 'defer' }]));
    expect(performance.rows.map(({ status, executionStarted }) => [status, executionStarted])).toEqual([
      ['stubbed', false],
      ['deferred', false],
    ]);
    expect(performance.executions).toEqual([]);
    oneRecordForEachStart(performance);
  });

  it('a method that ran before its call came to wait has run, whatever is answered', async () => {
    const performance = await theatre.perform(script([{ around: 'ask afterwards', answer: 'deny' }]));
    expect(performance.rows).toMatchObject([{ toolName: 'read', status: 'denied', executionStarted: true }]);
    expect(performance.executions).toMatchObject([{ toolName: 'read', success: true }]);
  });

  it('a call that waited while a sibling ended the run names that sibling, not a cancel', async () => {
    const performance = await theatre.perform(script([{ tool: 'gated' }, { tool: 'end' }]));
    const [waited, ended] = performance.rows;
    expect(waited).toMatchObject({ status: 'skipped', decidedBy: 'barrier', blockedByOperationId: ended?.id });
    expect(ended).toMatchObject({ toolName: 'end', status: 'failed' });
    expect(performance.outcome).toMatchObject({ status: 'failed', stage: 'executor' });
    skippedByWhatBlocked(performance);
  });

  it('what the call of an output has ended names that call, not the output around it', async () => {
    const performance = await theatre.perform(
      script([{ tool: 'giveCall', after: 'abort' }, { tool: 'read' }], { hooked: true, output: 'early' }),
    );
    const made = performance.rows.find(({ parentOperationId }) => parentOperationId !== null);
    expect(made).toMatchObject({ toolName: 'read', status: 'completed' });
    const skipped = performance.rows.filter(({ status }) => status === 'skipped');
    expect(skipped.map(({ toolName, blockedByOperationId }) => [toolName, blockedByOperationId])).toEqual([
      ['final_output', made?.id],
      ['read', made?.id],
    ]);
    skippedByWhatBlocked(performance);
  });

  it('a middleware that starts an approved call again does not: one approval pays for one start', async () => {
    const performance = await theatre.perform(script([{ tool: 'gated', around: 'again' }]));
    expect(performance.starts.map(({ toolName }) => toolName)).toEqual(['gated']);
    expect(performance.rows).toMatchObject([
      { status: 'failed', error: expect.stringContaining('ApprovalSpentError') },
    ]);
    executedIsInspectedIsApproved(performance);
  });
});
