import { Client, type ClientConfig } from 'pg';
import { ConfigurationError } from '../../../../contracts/errors/configuration.error.js';
import { GatehouseError } from '../../../../contracts/errors/gatehouse.error.js';
import { StorageUnavailableError } from '../../../../contracts/errors/storage-unavailable.error.js';
import { LedgerReader, type LedgerSnapshot, type ProofReader } from '../../../../contracts/ports/ledger.reader.js';
import { driverError } from '../../driver.errors.js';
import { tableNames } from '../../table.names.js';
import { PostgresLedgerSnapshot } from './postgres.ledger.snapshot.js';

/** Reads the evidence over a connection of its own: what is long must not take one from the application. */
export class PostgresLedgerReader extends LedgerReader {
  constructor(
    private readonly config: ClientConfig,
    private readonly schema: string,
  ) {
    super();
  }

  override async snapshot<T>(work: (snapshot: LedgerSnapshot & ProofReader) => Promise<T>): Promise<T> {
    const client = new Client({ ...this.config, application_name: 'gatehouse verify' });
    // A connection that breaks is told by the statement that is under way.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query(SETTINGS);
      await refusePartialSight(client, this.schema);
      const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
      return await work(new PostgresLedgerSnapshot(client, tableNames(this.schema), rows[0]?.now ?? new Date()));
    } catch (error) {
      if (error instanceof GatehouseError) throw error;
      throw new StorageUnavailableError('read the evidence', { cause: driverError(error) });
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/**
 * To a role that row-level security shows one organization alone, all other records would seem to be gone.
 *
 * @throws ConfigurationError
 */
async function refusePartialSight(client: Client, schema: string): Promise<void> {
  const { rows } = await client.query<{ partial: boolean }>(
    `SELECT row_security_active(to_regclass($1)) AND NOT EXISTS (
      SELECT FROM pg_policies p WHERE p.schemaname = $2 AND p.tablename = 'audit_log' AND p.permissive = 'PERMISSIVE'
        AND p.cmd IN ('SELECT', 'ALL') AND p.qual = 'true'
        AND EXISTS (SELECT FROM unnest(p.roles) r WHERE r = 'public' OR pg_has_role(current_user, r, 'USAGE'))) AS partial`,
    [tableNames(schema).log, schema],
  );
  if (rows[0]?.partial !== true) return;
  throw new ConfigurationError(
    'This role sees the records of one organization alone, so that all others would seem to be gone. Verify with a role that sees all, such as the auditor.',
  );
}

// Names without a schema mean the built-in ones; compiling the long expressions would cost more than it saves.
const SETTINGS = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL statement_timeout = 0;
  SET LOCAL jit = off; SET LOCAL work_mem = '64MB'; SET LOCAL enable_hashagg = off; SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO';
  SET LOCAL bytea_output = 'hex'`;
