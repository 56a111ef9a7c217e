import { Pool } from 'pg';
import { DataSource, EntitySchema } from 'typeorm';
import { GatehouseMigrator } from 'nest-gatehouse/typeorm';
import { LEDGER_COLUMNS } from '../../libs/gatehouse/src/values/ledger/ledger.columns.js';
import { openDevelopmentDatabase } from '../../src/development-database/development-database.js';

// As a server is that keeps what it says it keeps.
const DURABLE = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  max_wal_size: '4GB',
  checkpoint_timeout: '15min',
};

/** A table as the log is, its indexes included, which nobody seals: what single inserts are measured on. */
const PLAIN = [
  'CREATE TABLE gatehouse.plain_log (LIKE gatehouse.audit_log INCLUDING ALL)',
  'ALTER TABLE gatehouse.plain_log DROP COLUMN writer_id, DROP COLUMN seq, DROP COLUMN idx',
];

const plainLog = new EntitySchema<Record<string, unknown>>({
  name: 'plain_log',
  schema: 'gatehouse',
  columns: Object.fromEntries(
    LEDGER_COLUMNS.map(({ name, type }) => [name, { type, primary: name === 'id', nullable: name !== 'id' }]),
  ),
});

/** A migrated database of the bench's own, on a server that is durable. */
export async function benchDatabase() {
  const server = await openDevelopmentDatabase({ persistent: false, settings: { ...DURABLE, max_connections: '50' } });
  const source = new DataSource({ type: 'postgres', url: server.url, entities: [plainLog], logging: false });
  await new GatehouseMigrator(source.options, 'gatehouse').migrate('run');
  await source.initialize();
  for (const statement of PLAIN) await source.query(statement);
  const pool = new Pool({ connectionString: server.url, max: 2 });
  return {
    url: server.url,
    source,
    pool,
    repository: source.getRepository(plainLog),
    close: async () => {
      await pool.end();
      await source.destroy();
      await server.stop();
    },
  };
}
