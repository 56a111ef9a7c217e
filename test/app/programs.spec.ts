import { jest } from '@jest/globals';
import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { Client } from 'pg';
import { withoutPassword } from '../../src/starting/without.password.js';
import { seededDatabase } from './support/desk.js';
import { Person } from './support/person.js';
import { Program } from './support/program.js';

// Each test starts one or two processes, which compile what they load.
jest.setTimeout(120_000);

type Database = Awaited<ReturnType<typeof seededDatabase>>;

describe('npm start', () => {
  let database: Database;
  beforeEach(async () => {
    database = await seededDatabase();
  });
  afterEach(() => database?.drop());

  const start = (env: Readonly<Record<string, string>> = {}) =>
    new Program('main.ts', { DATABASE_URL: database.url, PORT: '0', ...env });

  it('says where it is, which model it asks and what to try; Ctrl-C ends its runs, tells their clients, and exits 0', async () => {
    const program = start();
    const [, url = ''] = await program.says(/Base URL +(http:\S+)\/agent/);
    expect(program.output).toContain(`Database  ${withoutPassword(database.url)}`);
    expect(program.output).toContain('Model: scripted (no model is asked; set MODEL for a real one)');
    await program.says(/Ctrl-C stops/);
    expect(program.output.match(/^ {2}curl /gm)).toHaveLength(3);
    expect((await fetch(`${url}/health`)).status).toBe(200);

    const stream = new Person(url, 'support').ask('check carrier status of order 1001', {
      until: ({ data }) => data?.includes('RUN_FINISHED') ?? false,
    });
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      const started = async () =>
        (await client.query(`select 1 from gatehouse.run_event where event::text like '%tool.end%'`)).rowCount;
      while (!(await started())) await new Promise(setImmediate);
      program.signal('SIGINT');
      expect((await stream).last?.outcome).toEqual({ type: 'cancelled' });
      expect(await program.ended()).toBe(0);
      const { rows } = await client.query('select status, source from gatehouse.terminal_record');
      expect(rows).toEqual([{ status: 'cancelled', source: 'shutdown' }]);
    } finally {
      await client.end();
    }
  });

  it('says in one line that its port is in use, and exits 1', async () => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as AddressInfo;
    try {
      const program = start({ PORT: String(port) });
      expect(await program.ended()).toBe(1);
      const lines = program.output.trimEnd().split('\n');
      expect(lines.at(-1)).toBe(
        `Port ${port} is in use, perhaps by another start of this application. ` +
          `Stop that one, or choose another port: PORT=${port + 1} npm start`,
      );
    } finally {
      occupant.close();
    }
  });

  it.each([
    [{ PORT: 'http' }, "PORT is 'http', which is no port"],
    [{ MODEL: 'gpt' }, "MODEL is 'gpt', which names no provider that is known here."],
  ])('%j is refused in words, without a stack, and exits 1', async (env, problem) => {
    const program = start(env);
    expect(await program.ended()).toBe(1);
    expect(program.output).toContain(problem);
    expect(program.output).not.toMatch(/^ +at /m);
  });
});

describe('npm run demo', () => {
  it('tells the story to its end and exits 0', async () => {
    const database = await seededDatabase();
    try {
      const program = new Program('demo.ts', { DATABASE_URL: database.url });
      expect([await program.ended(), program.output.trimEnd().split('\n').at(-1)]).toEqual([
        0,
        'Everything went as told.',
      ]);
      const told = [
        'the model proposes refund_order',
        'the run waits for a person',
        'waiting for a person: "Refund 25.00 EUR of order 1001"',
        'decided by approver',
        'result: {"refund":1,"order":1001,"refunded":"25.00 EUR","left":"974.00 EUR"}',
        'tool | refund_order | {"amount":2500,"order":1001} | true',
        'the connection is closed',
        'desk  | cancelled | client disconnected',
        'cancelled: client disconnected',
      ];
      expect(told.filter((line) => !program.output.includes(line))).toEqual([]);
      const places = told.map((line) => program.output.indexOf(line));
      expect(places).toEqual(places.toSorted((one, other) => one - other));
    } finally {
      await database.drop();
    }
  });

  it('exits 1 and says what was not as told', async () => {
    const database = await seededDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      await client.query('update desk.orders set total_cents = 100 where id = 1001');
      const program = new Program('demo.ts', { DATABASE_URL: database.url });
      expect(await program.ended()).toBe(1);
      expect(program.output).toContain('Expected a refund of 25.00 EUR, but saw: ');
    } finally {
      await client.end();
      await database.drop();
    }
  });
});
