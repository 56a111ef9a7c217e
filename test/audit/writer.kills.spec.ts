import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { migratedDatabase } from '../persistence/opened.database.js';
import { KilledWriters } from './support/killed.writers.js';
import { logProblems, type Query } from './support/log.problems.js';
import { openWriter } from './support/opened.writer.js';

const WRITERS = 6;
/** `npm run soak:audit` kills 200. */
const KILLS = process.env['GATEHOUSE_SOAK'] === undefined ? 10 : 200;
const FACTS = 2000;

it(
  `${WRITERS} writer processes at once, ${KILLS} of them killed: nothing acknowledged is lost or there twice, and the log is clean`,
  async () => {
    const database = await migratedDatabase();
    const client = new Client({ connectionString: database.url });
    await client.connect();
    const query: Query = async <Row>(text: string, values: unknown[] = []) =>
      (await client.query(text, values)).rows as Row[];
    await client.query(
      `INSERT INTO gatehouse.evidence_outbox (id, kind, at, reference)
        SELECT gatehouse.uuid_v7(), 'read', now(), 'fact ' || n FROM generate_series(1, $1) n`,
      [FACTS],
    );
    const writers = await KilledWriters.on(database.url);
    await writers.start(WRITERS);
    for (let kill = 0; kill < KILLS - WRITERS; kill++) {
      await pause(Math.random() * 50);
      await writers.replace(Math.floor(Math.random() * WRITERS));
    }
    const acknowledged = await writers.end();

    const missing = await query(
      'SELECT id FROM unnest($1::uuid[]) AS id WHERE NOT EXISTS (SELECT FROM gatehouse.audit_log l WHERE l.id = id.id)',
      [acknowledged],
    );
    expect(acknowledged.length).toBeGreaterThan(KILLS);
    expect(new Set(acknowledged).size).toBe(acknowledged.length);
    expect(missing).toEqual([]);

    // Whoever lives on seals the facts that are left, and tells who was lost, with the number of the last batch of each.
    const survivor = openWriter(database.url);
    await survivor.log.markLost(0);
    expect(await survivor.log.markLost(0)).toEqual([]);
    await survivor.writer.flush();
    await survivor.close();
    const told = await query<{ writer: string; amount: number }>(
      "SELECT reference AS writer, amount::integer FROM gatehouse.audit_log WHERE kind = 'writer' AND status = 'lost' ORDER BY 1",
    );
    const lost = (await query<{ id: string }>("SELECT id FROM gatehouse.evidence_writer WHERE state = 'lost'")).map(
      ({ id }) => id,
    );
    const last = await query(
      'SELECT writer_id::text AS writer, max(seq)::integer AS amount FROM gatehouse.audit_batch WHERE writer_id = ANY($1::uuid[]) GROUP BY 1 ORDER BY 1',
      [lost],
    );
    expect(lost.length).toBeGreaterThanOrEqual(KILLS);
    expect(told.filter(({ amount }) => amount > 0)).toEqual(last);
    const facts = await query(
      "SELECT count(*)::integer AS facts FROM gatehouse.audit_log WHERE reference LIKE 'fact %'",
    );
    expect(facts).toEqual([{ facts: FACTS }]);
    expect(await query('SELECT FROM gatehouse.evidence_outbox')).toEqual([]);
    expect(await logProblems(query)).toEqual([]);
    await client.end();
    await database.drop();
  },
  KILLS * 30_000,
);
