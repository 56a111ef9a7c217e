import { Client } from 'pg';
import { GatehouseMigrator } from 'nest-gatehouse/typeorm';
import { captureLog } from 'nest-gatehouse/testing';
import { FaultyProxy } from './support/faulty.proxy.js';
import { logProblems, type Query } from './support/log.problems.js';
import { aRecord, openWriter, type OpenedWriter } from './support/opened.writer.js';
import { OwnServer } from './support/own.server.js';

const CALLERS = 10;
const ENOUGH = 50;

let server: OwnServer;
let proxy: FaultyProxy;
let opened: OpenedWriter;
let log: ReturnType<typeof captureLog>;

beforeEach(async () => {
  log = captureLog();
  server = await OwnServer.make();
  await new GatehouseMigrator({ type: 'postgres', url: server.url }, 'gatehouse').migrate('run');
  proxy = await FaultyProxy.to(server.url);
  opened = openWriter(proxy.url);
}, 120_000);
afterEach(async () => {
  await opened.close();
  await proxy.close();
  await server.close();
  log.release();
}, 120_000);

/** Callers that write all the time; what they were told is committed. */
function traffic() {
  const acknowledged: string[] = [];
  let over = false;
  const caller = async (): Promise<void> => {
    while (!over) {
      const record = aRecord('traffic');
      await opened.writer.submitDurably(record, 60_000);
      acknowledged.push(record.record.id);
    }
  };
  const callers = Promise.all(Array.from({ length: CALLERS }, caller));
  return {
    acknowledged,
    more: async () => {
      const from = acknowledged.length;
      while (acknowledged.length < from + ENOUGH) await new Promise((resolve) => setImmediate(resolve));
    },
    end: async () => {
      over = true;
      await callers;
    },
  };
}

async function expectAllThere(url: string, acknowledged: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    'SELECT id FROM unnest($1::uuid[]) AS id WHERE NOT EXISTS (SELECT FROM gatehouse.audit_log l WHERE l.id = id.id)',
    [acknowledged],
  );
  expect(rows).toEqual([]);
  const query: Query = async <Row>(text: string, values: unknown[] = []) =>
    (await client.query(text, values)).rows as Row[];
  expect(await logProblems(query)).toEqual([]);
  await client.end();
}

it.each(['stop', 'kill'] as const)(
  'a database that is restarted mid-batch (%s): what was acknowledged is there, the rest is written afterwards',
  async (how) => {
    const writing = traffic();
    await writing.more();
    await server[how]();
    await server.start();
    proxy.pointAt(server.url);
    await writing.more();
    await writing.end();
    expect(opened.writer.losses).toBe(0);
    await expectAllThere(server.url, writing.acknowledged);
  },
  120_000,
);

it('a database that fails over mid-batch: what was acknowledged is on the standby, and writing goes on there', async () => {
  const standby = await server.standby();
  try {
    const writing = traffic();
    await writing.more();
    await server.kill();
    await standby.promote();
    proxy.pointAt(standby.url);
    await writing.more();
    await writing.end();
    expect(opened.writer.losses).toBe(0);
    await expectAllThere(standby.url, writing.acknowledged);
    await opened.close();
  } finally {
    await standby.close();
  }
}, 180_000);
