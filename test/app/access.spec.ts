import { openDesk, type Desk } from './support/desk.js';

describe('who may what at the reference app', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk?.close());

  const statusOf = async (person: string, path: string) => (await desk.as(person).get(path)).status;

  it('answers health to everybody, and everything under /agent to known people only', async () => {
    const health = await fetch(`${desk.url}/health`);
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
    for (const path of ['agent/runs', 'agent/approvals', 'agent/audit/executions']) {
      expect([await statusOf('nobody', path), (await fetch(`${desk.url}/${path}`)).status]).toEqual([401, 401]);
    }
  });

  it('takes a long history of a client, up to 4 MB, and refuses more in words', async () => {
    const post = (characters: number) =>
      desk.as('support').post('agent/runs', {
        threadId: `long-${characters}`,
        runId: `long-${characters}`,
        messages: [
          { id: 'old', role: 'assistant', content: 'x'.repeat(characters) },
          { id: 'new', role: 'user', content: 'look up order 1001' },
        ],
      });
    const taken = await post(3_900_000);
    expect([taken.status, (await taken.text()).includes('"type":"success"')]).toEqual([200, true]);
    const refused = await post(4_300_000);
    expect([refused.status, refused.headers.get('content-type')]).toEqual([413, 'application/problem+json']);
  });

  it('shows an outsider nothing of acme: 404, also for deciding', async () => {
    const told = await desk.as('support').ask('refund order 1001 25.00');
    const { runId, approvalId } = told;
    const outsider = desk.as('outsider');
    for (const path of [`runs/${runId}`, `runs/${runId}/events`, `approvals/${approvalId}`, 'audit/executions']) {
      expect([path, await statusOf('outsider', `agent/${path}`)]).toEqual([path, 404]);
    }
    const [approval] = await desk.as('approver').approvals(runId);
    const answer = { approved: true, argumentsDigest: approval?.argumentsDigest };
    expect((await outsider.post(`agent/approvals/${approvalId}/decision`, answer)).status).toBe(404);
    expect((await outsider.post(`agent/runs/${runId}/cancel`, {})).status).toBe(404);
    expect([await outsider.approvals(runId), await outsider.items('agent/runs')]).toEqual([[], []]);
    expect(await desk.as('approver').approvals(runId)).toMatchObject([{ status: 'pending' }]);
  });

  it("an outsider's agent does not find acme's orders", async () => {
    const told = await desk.as('outsider').ask('look up order 1001 then search orders of customer 3');
    expect(told.results).toEqual(['There is no order 1001.', '[]']);
  });

  it('opens the audit to the auditor alone, and nothing else to the auditor', async () => {
    const told = await desk.as('support').ask('refund order 1001 25.00');
    for (const [person, status] of [
      ['auditor', 200],
      ['support', 404],
      ['approver', 404],
    ] as const) {
      expect([person, await statusOf(person, 'agent/audit/operations')]).toEqual([person, status]);
    }
    expect(await statusOf('auditor', `agent/approvals/${told.approvalId}`)).toBe(404);
    expect(await statusOf('auditor', `agent/runs/${told.runId}`)).toBe(404);
    const request = { threadId: 'auditor-thread', runId: 'auditor-run', messages: [] };
    expect((await desk.as('auditor').post('agent/runs', request)).status).toBe(404);
  });

  it('a denial by a roles guard ends the run: it did not run, and the next response is never asked for', async () => {
    const support = desk.as('support');
    const told = await support.ask('look up order 1001 and list all customers then send receipt for order 1003');
    expect(told.calls.map(([name]) => name)).toEqual(['lookup_order', 'list_all_customers']);
    expect(told.last?.type).toBe('RUN_ERROR');
    const auditor = desk.as('auditor');
    const operations = await auditor.operations(told.runId);
    expect(
      operations.map(({ toolName, status, decidedBy }) => `${toolName} ${status} ${decidedBy}`).toSorted(),
    ).toEqual(['list_all_customers denied guard', 'lookup_order completed null']);
    const executions = await auditor.executions(told.runId);
    expect(executions.map(({ kind, toolName, success }) => `${kind} ${toolName} ${success}`).toSorted()).toEqual([
      'run agent.run false',
      'tool lookup_order true',
    ]);
    expect(await auditor.items(`agent/audit/terminals?runId=${told.runId}`)).toMatchObject([
      { status: 'failed', stage: 'denial' },
    ]);
    expect(await desk.query('select id from desk.orders where receipt_sent_at is not null')).toEqual([]);
  });
});
