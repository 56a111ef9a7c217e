import { Client } from 'pg';
import { SealedLog } from '../../../libs/gatehouse/src/audit/seal/sealed.log.js';
import { verifyLedger, type Verification } from '../../../libs/gatehouse/src/audit/verify/verification.js';
import type { VerifyOptions } from '../../../libs/gatehouse/src/audit/verify/verify.options.js';
import type { LedgerEntry } from '../../../libs/gatehouse/src/contracts/ledger.js';
import { PostgresLedgerReader } from '../../../libs/gatehouse/src/persistence/postgres/ledger/reading/postgres.ledger.reader.js';
import { PostgresSealStore } from '../../../libs/gatehouse/src/persistence/postgres/ledger/postgres.seal.store.js';
import { PostgresEvidenceLog } from '../../../libs/gatehouse/src/persistence/postgres/postgres.evidence.log.js';
import { anExecution, anOperation } from '../../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { newId } from '../../../libs/gatehouse/src/values/ids.js';
import { executionEntry } from '../../../libs/gatehouse/src/values/ledger/execution.entry.js';
import { operationEntry } from '../../../libs/gatehouse/src/values/ledger/operation.entry.js';
import { generateEd25519Key } from '../../../libs/gatehouse/src/values/transparency/ed25519.keys.js';
import { freshDatabase } from '../../support/postgres.js';
import { openDatabase, type OpenedDatabase } from '../opened.database.js';

export const ORIGIN = 'example.com/audit';
export const KEY = generateEd25519Key(ORIGIN);

/** Executions and operations of these runs, with payloads, as an application leaves them. */
export function someEntries(runs: readonly string[]): readonly LedgerEntry[] {
  return runs.flatMap((id, at) => {
    const run = { id, threadId: `thread ${at}` };
    const execution = anExecution(run, {
      id: newId(),
      success: at % 3 !== 0,
      error: at % 3 === 0 ? 'CardError: declined' : null,
      principalId: at % 2 === 0 ? 'ann' : 'ben',
    });
    const bare: LedgerEntry = {
      record: { id: newId(), kind: 'read', at: new Date(), principalId: 'eve', reference: 'csv', amount: at },
      payload: null,
    };
    return [executionEntry(execution), operationEntry(anOperation(run, { id: newId(), principalId: 'ann' })), bare];
  });
}

/** Signs everything that is there; returns the note. */
export async function seal(test: OpenedDatabase, signers = [KEY.signer]): Promise<string> {
  const lead = await new PostgresSealStore(test.database).lead();
  if (lead === undefined) throw new Error('Somebody else seals.');
  const log = await SealedLog.open(lead, ORIGIN, signers);
  await log.sealNew(1000);
  await log.release();
  return log.checkpoint?.note ?? '';
}

/** Three writers, a dozen batches of one to seven records, four checkpoints. */
export async function writeEvidence(test: OpenedDatabase): Promise<string> {
  const logs = [0, 1, 2].map(() => new PostgresEvidenceLog(test.database));
  for (const log of logs) log.open({ host: 'h', pid: 1, version: '0' });
  let note = '';
  for (const counts of [
    [2, 1, 1],
    [1, 2, 2],
    [2, 1, 1],
    [1, 1, 2],
  ]) {
    for (const [at, log] of logs.entries())
      await log.append(someEntries(Array.from({ length: counts[at] ?? 1 }, () => newId())));
    note = await seal(test);
  }
  await Promise.all(logs.map((log) => log.close(5000)));
  return (await seal(test)) || note;
}

/** A database whose evidence is sealed and that nobody is connected to; clone it for each case. */
export interface SealedTemplate {
  /** Of the database. */
  readonly name: string;
  /** The newest note: the copy outside the database. */
  readonly note: string;
  clone(): Promise<ClonedEvidence>;
  drop(): Promise<void>;
}

/** A copy of the sealed evidence, and who may do with it whatever a superuser may. */
export interface ClonedEvidence {
  readonly url: string;
  readonly client: Client;
  verify(options?: VerifyOptions, as?: string): Promise<Verification>;
  drop(): Promise<void>;
}

export async function sealedTemplate(write = writeEvidence): Promise<SealedTemplate> {
  const test = await openDatabase();
  const note = await write(test);
  await test.source.destroy();
  const name = new URL(test.url).pathname.slice(1);
  return {
    name,
    note,
    clone: async () => cloned((await freshDatabase(name)).url, note),
    drop: async () => dropDatabase(test.url),
  };
}

export async function cloned(url: string, note: string): Promise<ClonedEvidence> {
  const client = new Client({ connectionString: url });
  await client.connect();
  // What is ENABLE ALWAYS holds for a superuser, too, until it is disabled.
  await client.query(UNGUARDED);
  return {
    url,
    client,
    verify: (options = {}, as = url) =>
      verifyLedger(new PostgresLedgerReader({ connectionString: as }, 'gatehouse'), {
        keys: [KEY.verifierKey],
        anchors: [{ name: 'anchor', note }],
        ...options,
      }),
    drop: async () => {
      await client.end();
      await dropDatabase(url);
    },
  };
}

const UNGUARDED = `DO $$ DECLARE t regclass; BEGIN
  FOR t IN SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'gatehouse' AND c.relkind IN ('r', 'p')
  LOOP EXECUTE format('ALTER TABLE %s DISABLE TRIGGER ALL', t); END LOOP; END $$`;

async function dropDatabase(url: string): Promise<void> {
  const admin = new Client({ connectionString: url.replace(/\/[^/]+$/, '/postgres') });
  await admin.connect();
  await admin.query(`DROP DATABASE IF EXISTS "${new URL(url).pathname.slice(1)}" WITH (FORCE)`);
  await admin.end();
}
