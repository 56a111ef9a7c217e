import type { LedgerRecord } from '../../libs/gatehouse/src/contracts/ledger.js';
import { LEDGER_COLUMNS } from '../../libs/gatehouse/src/values/ledger/ledger.columns.js';
import { ledgerName } from '../../libs/gatehouse/src/values/ledger/ledger.name.js';
import { leafData } from '../../libs/gatehouse/src/values/ledger/leaf.data.js';
import { leafHash } from '../../libs/gatehouse/src/values/transparency/merkle.tree.js';
import { executionEntry } from '../../libs/gatehouse/src/values/ledger/execution.entry.js';
import { operationEntry } from '../../libs/gatehouse/src/values/ledger/operation.entry.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { anExecution, anOperation } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { leafExpression } from '../../libs/gatehouse/src/persistence/postgres/ledger/leaf.expression.js';
import { openDatabase, type OpenedDatabase } from './opened.database.js';

const ID = '01890000-0000-7000-8000-000000000001';

/** Every column has a value, none the same as another. */
const FULL: LedgerRecord = Object.fromEntries(
  LEDGER_COLUMNS.filter(({ field }) => field !== 'payloadCommitment').map(({ field, type, tag }) => [
    field,
    {
      uuid: `01890000-0000-7000-8000-0000000000${tag.toString(16).padStart(2, '0')}`,
      text: `${field} “ü€😀`,
      timestamptz: new Date(Date.UTC(2026, 1, 28, 23, 59, 59, tag)),
      integer: -tag,
      bigint: 2 ** 53 - tag,
      boolean: tag % 2 === 0,
      bytea: null,
    }[type],
  ]),
) as unknown as LedgerRecord;

describe('the encoding of a leaf', () => {
  let test: OpenedDatabase;
  beforeAll(async () => {
    test = await openDatabase();
  });
  afterAll(() => test.close());

  it('is what it always was (golden vectors)', () => {
    expect(leafData({ id: ID, kind: 'gap', at: new Date('2026-01-01T00:00:00.001Z') }, null).toString('hex')).toBe(
      '01' +
        '0100000010' +
        '01890000000070008000000000000001' +
        '0200000003' +
        '676170' +
        '0300000008' +
        '0002ea470ae863e8',
    );
    expect(leafHash(leafData(FULL, new Uint8Array(32).fill(7))).toString('hex')).toBe(
      'c9f75840391739e41fc82adc37baf8e044d0061cd6b11de08a7b014d7fe46ab9',
    );
  });

  it('tells absent from empty', () => {
    const record = { id: ID, kind: 'gap', at: new Date(0) } as const;
    expect(leafData({ ...record, reference: '' }, null)).not.toEqual(leafData(record, null));
    expect(leafData({ ...record, reference: null }, null)).toEqual(leafData(record, null));
  });

  it('is recomputed by plain SQL, bit for bit, for every column', async () => {
    const run = { id: newId(), threadId: 'thread' };
    const entries = [
      { record: { ...FULL, id: newId(), runId: run.id }, payload: { detail: 'x' } },
      {
        record: { id: newId(), kind: 'gap', at: new Date('1999-12-31T23:59:59.999Z'), runId: run.id },
        payload: null,
      } as const,
      executionEntry(anExecution(run)),
      operationEntry(anOperation(run, { reason: '', targetId: '' } as object)),
    ];
    await test.evidence.append(entries);
    const rows = await test.source.query<{ id: string; leaf: Buffer; payload_commitment: Buffer | null }[]>(
      `SELECT l.id, ${leafExpression('l')} AS leaf, payload_commitment FROM gatehouse.audit_log l WHERE run_id = $1 ORDER BY idx`,
      [run.id],
    );
    expect(rows.map(({ id, leaf }) => [id, leaf.toString('hex')])).toEqual(
      entries.map(({ record }, at) => [
        record.id,
        leafHash(leafData(record, rows[at]?.payload_commitment ?? null)).toString('hex'),
      ]),
    );
  });

  it('covers the columns of the table, in its order, but for the place in a batch', async () => {
    const columns = await test.source.query<{ name: string; type: string }[]>(
      `SELECT attname AS name, regexp_replace(format_type(atttypid, NULL), ' with time zone', 'tz') AS type FROM pg_attribute
        WHERE attrelid = 'gatehouse.audit_log'::regclass AND attnum > 0 ORDER BY attnum`,
    );
    expect(columns).toEqual([
      ...LEDGER_COLUMNS.map(({ name, type }) => ({ name, type: type === 'timestamptz' ? 'timestamptz' : type })),
      { name: 'writer_id', type: 'uuid' },
      { name: 'seq', type: 'bigint' },
      { name: 'idx', type: 'integer' },
    ]);
  });

  it('shortens long names in SQL as it does here', async () => {
    for (const name of ['', 'x'.repeat(256), 'x'.repeat(257), '😀'.repeat(256), '😀'.repeat(300)]) {
      expect(await test.source.query('SELECT gatehouse.ledger_name($1) AS name', [name])).toEqual([
        { name: ledgerName(name) },
      ]);
    }
  });
});
