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
      await client.query(LIMITS);
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
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname IN ('audit_log', 'audit_payload') AND c.relkind IN ('p', 'r') AND row_security_active(c.oid) AND NOT EXISTS (
        SELECT FROM pg_policies p WHERE p.schemaname = n.nspname AND p.tablename = c.relname AND p.permissive = 'PERMISSIVE'
          AND p.cmd IN ('SELECT', 'ALL') AND p.qual = 'true'
          AND EXISTS (SELECT FROM unnest(p.roles) r WHERE r = 'public' OR pg_has_role(current_user, r, 'USAGE')))`,
    [schema],
  );
  if (rows.length === 0) return;
  throw new ConfigurationError(
    'This role sees the records of one organization alone, so that all others would seem to be gone. Verify with a role that sees all, such as the auditor.',
  );
}

// Limits that a database or role sets for its sessions are not meant for this one, which is long. Before the transaction, which they would
// count from its start; not every server knows them all.
const LIMITS = `SET standard_conforming_strings = on;
  SELECT pg_catalog.set_config(name, '0', false) FROM pg_catalog.pg_settings
    WHERE name IN ('transaction_timeout', 'idle_in_transaction_session_timeout', 'idle_session_timeout', 'statement_timeout')`;

// Names without a schema mean the built-in ones; compiling the long expressions would cost more than it saves.
const SETTINGS = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL search_path = pg_catalog, pg_temp;
  SET LOCAL jit = off; SET LOCAL work_mem = '64MB'; SET LOCAL enable_hashagg = off; SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO';
  SET LOCAL bytea_output = 'hex'`;
