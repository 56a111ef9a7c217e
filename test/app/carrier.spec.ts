import { openDesk, type Desk } from './support/desk.js';

const SECRETS = ['postgres://', 'SELECT', 'tracking-password', 'CarrierError'];

describe('the carrier that fails on purpose', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk();
  });
  afterEach(() => desk?.close());

  async function rowsOf(tables: readonly string[]): Promise<string> {
    const rows: string[] = [];
    for (const table of tables) {
      const found = await desk.query<{ row: string }>(`select t::text as row from gatehouse.${table} t`);
      rows.push(...found.map(({ row }) => row));
    }
    expect(rows.length).toBeGreaterThan(0);
    return rows.join('\n');
  }

  /** What a model's history, a client's stream or an inbox is made of. */
  const shownRows = () => rowsOf(['run_event', 'thread_message', 'run_step', 'agent_run', 'approval_request']);

  async function allRows(): Promise<string> {
    const tables = await desk.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'gatehouse'`,
    );
    return rowsOf(tables.map(({ name }) => name));
  }

  it('tells model and client that it failed and not to repeat it, and nothing of why', async () => {
    const told = await desk.as('support').ask('check carrier status of order 1001 then look up order 1001');
    const [failed, looked] = told.results;
    expect(failed).toMatch(
      /^Tool 'flaky_carrier_status' failed \(operation [0-9a-f-]{36}\)\. Do not repeat this call\.$/,
    );
    expect(JSON.parse(looked ?? '')).toMatchObject({ order: 1001 });
    expect(told.last?.outcome).toEqual({ type: 'success' });
    const rows = await shownRows();
    for (const secret of SECRETS) {
      expect([secret, told.wire.includes(secret), rows.includes(secret)]).toEqual([secret, false, false]);
    }
  });

  it('tells the auditor why, but not the password', async () => {
    const told = await desk.as('support').ask('check carrier status of order 1001');
    const [row, ...others] = await desk.as('auditor').executions(told.runId);
    expect(others).toEqual([]);
    expect(row).toMatchObject({ toolName: 'flaky_carrier_status', success: false, resultSize: null });
    expect(row?.error).toBe(
      'CarrierError: connection to postgres://carrier:[redacted]@carrier-db:5432/tracking lost during ' +
        '"SELECT status FROM shipments WHERE order_id = 1001"',
    );
    const rows = await allRows();
    expect([rows.includes('CarrierError'), rows.includes('tracking-password')]).toEqual([true, false]);
  });
});

describe('a client that leaves while the carrier is being asked', () => {
  it('cancels the run: one interrupted method, one agent.run, one terminal record', async () => {
    const desk = await openDesk({ carrierDelayMs: 30_000 });
    try {
      const until = { until: ({ data }: { readonly data?: string }) => data?.includes('TOOL_CALL_END') ?? false };
      const told = await desk.as('support').ask('check carrier status of order 1001', until);
      const whole = await desk.as('support').follow(told.runId);
      expect(whole.last?.outcome).toEqual({ type: 'cancelled' });
      const auditor = desk.as('auditor');
      const rows = await auditor.executions(told.runId);
      expect(rows.map(({ kind, toolName, success }) => [kind, toolName, success]).toSorted()).toEqual([
        ['run', 'agent.run', false],
        ['tool', 'flaky_carrier_status', false],
      ]);
      expect(rows.find(({ kind }) => kind === 'run')?.error).toBe('cancelled: client disconnected');
      expect(await auditor.items(`agent/audit/terminals?runId=${told.runId}`)).toMatchObject([
        { status: 'cancelled', source: 'client disconnected' },
      ]);
      expect(await auditor.operations(told.runId)).toMatchObject([
        { toolName: 'flaky_carrier_status', status: 'interrupted', executionStarted: true },
      ]);
    } finally {
      await desk.close();
    }
  });
});
