import { jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { readEvents, type SseFrame } from 'nest-gatehouse/testing';
import { seededDatabase } from './support/desk.js';
import { Person } from './support/person.js';
import { Program } from './support/program.js';

// Processes that compile what they load, on a busy machine.
jest.setTimeout(180_000);

const TWO_SECONDS_OF_WORK = 'check carrier status of order 1001 then look up order 1001';

describe('two servers and a worker on one database', () => {
  let database: Awaited<ReturnType<typeof seededDatabase>>;
  let client: Client;
  let programs: Program[];
  let first: { readonly program: Program; readonly person: Person };
  let second: typeof first;
  let worker: Program;

  const run = (file: 'main.ts' | 'worker.ts'): Program => {
    const env = { DATABASE_URL: database.url, PORT: '0', RUNS: 'dispatched', RUN_LEASE: '4s' };
    const program = new Program(file, env);
    programs.push(program);
    return program;
  };
  const server = async (): Promise<typeof first> => {
    const program = run('main.ts');
    const [, url = ''] = await program.says(/Base URL +(http:\S+)\/agent/);
    return { program, person: new Person(url, 'support') };
  };
  const startWorker = async (): Promise<Program> => {
    const program = run('worker.ts');
    await program.says(/A worker .* is ready/);
    return program;
  };

  beforeAll(async () => {
    programs = [];
    database = await seededDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    [first, second, worker] = await Promise.all([server(), server(), startWorker()]);
  });
  afterAll(async () => {
    for (const program of programs) program.signal('SIGKILL');
    await Promise.all(programs.map((program) => program.ended()));
    await client?.end();
    await database?.drop();
  });

  const rows = async (sql: string, runId: string) => (await client.query<Record<string, unknown>>(sql, [runId])).rows;
  const dispatched = async ({ person }: typeof first) => {
    const messages = [{ id: randomUUID(), role: 'user', content: TWO_SECONDS_OF_WORK }];
    const response = await person.post('agent/runs', { threadId: randomUUID(), runId: randomUUID(), messages });
    return { response, runId: response.headers.get('gatehouse-run-id') ?? '' };
  };
  /** Everything that this server tells of the run, to its end. */
  const read = async ({ person }: typeof first, runId: string): Promise<SseFrame[]> => {
    const frames = await readEvents(await person.get(`agent/runs/${runId}/events`), { timeoutMs: 60_000 });
    return frames.filter(({ data }) => data !== undefined);
  };
  const atWork = async (runId: string): Promise<void> => {
    const sql = `select 1 from gatehouse.run_event where run_id = $1 and event::text like '%"tool.end"%'`;
    while ((await rows(sql, runId)).length === 0) await new Promise(setImmediate);
  };
  const owner = async (runId: string) => (await rows('select owner from gatehouse.agent_run where id = $1', runId))[0];
  /** Evidence follows within moments what it is evidence of. */
  const evidence = async (sql: string, runId: string) => {
    let found = await rows(sql, runId);
    while (found.length === 0) {
      await new Promise(setImmediate);
      found = await rows(sql, runId);
    }
    return found;
  };
  const terminals = (runId: string) =>
    evidence('select status, source from gatehouse.terminal_record where run_id = $1', runId);
  const typeOf = ({ data = '{}' }: SseFrame) => (JSON.parse(data) as { type: string }).type;
  const lastOf = (frames: readonly SseFrame[]) => JSON.parse(frames.at(-1)?.data ?? '{}') as Record<string, unknown>;

  it('what one dispatches to the worker is cancelled from the other', async () => {
    const { runId } = await dispatched(first);
    const told = read(second, runId);
    await atWork(runId);
    expect(await (await second.person.post(`agent/runs/${runId}/cancel`, { reason: 'enough' })).json()).toMatchObject({
      runId,
    });
    expect(lastOf(await told)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
    expect(await terminals(runId)).toEqual([{ status: 'cancelled', source: 'requested' }]);
  });

  it('one is killed under a run that it dispatched: the run finishes, and who reads on the other misses nothing', async () => {
    const { runId } = await dispatched(first);
    const told = read(second, runId);
    await atWork(runId);
    const before = await owner(runId);
    first.program.signal('SIGKILL');
    expect(await first.program.ended()).toBe('SIGKILL');
    const frames = await told;
    expect(lastOf(frames)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
    expect(frames.map(({ id }) => Number(id))).toEqual(frames.map((_, at) => at + 1));
    expect(await read(second, runId)).toEqual(frames);
    expect(frames.filter((frame) => typeOf(frame) === 'TOOL_CALL_RESULT')).toHaveLength(2);
    expect(before).toEqual({ owner: expect.any(String) as string });
    expect(await terminals(runId)).toEqual([{ status: 'completed', source: null }]);
  });

  it('the worker is killed under a run: it ends as interrupted by the rule of the lease', async () => {
    const { runId, response } = await dispatched(second);
    await atWork(runId);
    worker.signal('SIGKILL');
    expect(await worker.ended()).toBe('SIGKILL');
    const frames = await readEvents(response, { timeoutMs: 60_000 });
    expect(lastOf(frames)).toMatchObject({ type: 'RUN_ERROR', code: 'interrupted' });
    expect(await terminals(runId)).toEqual([{ status: 'interrupted', source: null }]);
    const operations = 'select tool_name, status from gatehouse.operation where run_id = $1';
    expect(await evidence(operations, runId)).toEqual([{ tool_name: 'flaky_carrier_status', status: 'interrupted' }]);
  });

  it('a worker that is told to stop ends its runs, writes their records, and exits 0', async () => {
    const next = await startWorker();
    const { runId, response } = await dispatched(second);
    await atWork(runId);
    next.signal('SIGTERM');
    expect(lastOf(await readEvents(response, { timeoutMs: 60_000 }))).toMatchObject({ outcome: { type: 'cancelled' } });
    expect(await next.ended()).toBe(0);
    expect(await terminals(runId)).toEqual([{ status: 'cancelled', source: 'shutdown' }]);
  });
});
