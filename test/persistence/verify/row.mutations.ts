import fc from 'fast-check';
import { LEDGER_COLUMNS, type LedgerType } from '../../../libs/gatehouse/src/values/ledger/ledger.columns.js';
import { pick, placeOf, S, told, type Mutation, type Picked } from './mutation.js';

const SEALED = LEDGER_COLUMNS.filter(({ name }) => name !== 'id');
const NOT_NULL = ['kind', 'at'];

/** SQL for another value of a type. */
const OTHER: Readonly<Record<LedgerType, (column: string) => string>> = {
  uuid: () => 'gen_random_uuid()',
  text: (column) => `coalesce(${column}, '') || 'x'`,
  timestamptz: (column) => `coalesce(${column}, now()) + interval '1 millisecond'`,
  integer: (column) => `coalesce(${column}, 0) + 1`,
  bigint: (column) => `coalesce(${column}, 0) + 1`,
  boolean: (column) => `NOT coalesce(${column}, false)`,
  bytea: (column) => `sha256(coalesce(${column}, ''::bytea))`,
};

/** Any sealed column of any row gets another value. */
const changeColumn = fc.record({ row: fc.nat(200), column: fc.constantFrom(...SEALED) }).map(({ row, column }) =>
  told(`change ${column.name} of row ${row}`, async (client) => {
    const picked = await pick(client, row);
    if (picked === undefined) return undefined;
    const { name, type } = column;
    await client.query(`UPDATE ${S}.audit_log SET ${name} = ${OTHER[type](name)} WHERE id = $1`, [picked.id]);
    return { outcome: 'tampered', place: placeOf(picked) };
  }),
);

/** What is NULL becomes empty, what is something becomes NULL: told with the column. */
const emptyColumn = fc
  .record({ row: fc.nat(200), column: fc.constantFrom(...SEALED.filter(({ name }) => !NOT_NULL.includes(name))) })
  .map(({ row, column: { name, type } }) =>
    told(`empty ${name} of row ${row}`, async (client) => {
      const isText = type === 'text';
      const picked = await pick(client, row, isText ? 'true' : `${name} IS NOT NULL`);
      if (picked === undefined) return undefined;
      await client.query(
        `UPDATE ${S}.audit_log SET ${name} = ${isText ? `CASE WHEN ${name} IS NULL THEN '' END` : 'NULL'} WHERE id = $1`,
        [picked.id],
      );
      return { outcome: 'tampered', place: placeOf(picked) };
    }),
  );

const swappable = LEDGER_COLUMNS.filter(({ name, type }) => ['text', 'uuid'].includes(type) && name !== 'id');

/** Two columns of one row change places: told with both. */
const swapColumns = fc
  .record({ row: fc.nat(200), one: fc.constantFrom(...swappable), other: fc.constantFrom(...swappable) })
  .filter(({ one, other }) => one.tag < other.tag && one.type === other.type && one.name !== 'kind')
  .map(({ row, one, other }) =>
    told(`swap ${one.name} and ${other.name} of row ${row}`, async (client) => {
      const [a, b] = [one.name, other.name];
      const picked = await pick(client, row, `${a} IS DISTINCT FROM ${b}`);
      if (picked === undefined) return undefined;
      await client.query(`UPDATE ${S}.audit_log SET ${a} = ${b}, ${b} = ${a} WHERE id = $1`, [picked.id]);
      return { outcome: 'tampered', place: placeOf(picked), columns: [a, b] };
    }),
  );

const deleteRow = fc.nat(200).map((row) =>
  told(`delete row ${row}`, async (client) => {
    const picked = await pick(client, row);
    if (picked === undefined) return undefined;
    await client.query(`DELETE FROM ${S}.audit_log WHERE id = $1`, [picked.id]);
    await client.query(`DELETE FROM ${S}.audit_payload WHERE id = $1`, [picked.id]);
    const { writerId, seq } = placeOf(picked);
    return { outcome: 'tampered', place: { writerId, seq } };
  }),
);

const deleteRun = fc.nat(200).map((row) =>
  told(`delete the run of row ${row}`, async (client) => {
    const picked = await pick(client, row, 'run_id IS NOT NULL');
    if (picked === undefined) return undefined;
    const run = `(SELECT run_id FROM ${S}.audit_log WHERE id = $1)`;
    await client.query(
      `DELETE FROM ${S}.audit_payload WHERE id IN (SELECT id FROM ${S}.audit_log WHERE run_id = ${run})`,
      [picked.id],
    );
    await client.query(`DELETE FROM ${S}.audit_log WHERE run_id = ${run}`, [picked.id]);
    const { writerId, seq } = placeOf(picked);
    return { outcome: 'tampered', place: { writerId, seq } };
  }),
);

const reorder = fc.nat(200).map((row) =>
  told(`swap the places of row ${row} and its neighbour`, async (client) => {
    const picked = await pick(client, row, 'idx > 0');
    if (picked === undefined) return undefined;
    const { writerId, seq, idx } = placeOf(picked);
    await client.query(
      `UPDATE ${S}.audit_log SET idx = CASE idx WHEN $3 THEN $3 - 1 ELSE $3 END WHERE writer_id = $1 AND seq = $2 AND idx IN ($3 - 1, $3)`,
      [writerId, seq, idx],
    );
    return { outcome: 'tampered', place: { writerId, seq, idx: idx - 1 }, columns: ['idx'] };
  }),
);

/** A record nobody wrote: in an existing batch, or in one of its own that stands in no log. */
const insertRow = fc.record({ row: fc.nat(200), inBatch: fc.boolean() }).map(({ row, inBatch }) =>
  told(`insert a copy of row ${row} ${inBatch ? 'into its batch' : 'beside all batches'}`, async (client) => {
    const picked = await pick(client, row);
    if (picked === undefined) return undefined;
    const names = LEDGER_COLUMNS.filter(({ name }) => name !== 'id' && name !== 'payload_commitment').map(
      ({ name }) => name,
    );
    const seq = inBatch ? 'seq' : 'seq + 1000';
    const { rows } = await client.query<Picked>(
      `INSERT INTO ${S}.audit_log (id, ${names.join(', ')}, writer_id, seq, idx)
        SELECT ${S}.uuid_v7(), ${names.join(', ')}, writer_id, ${seq}, idx FROM ${S}.audit_log WHERE id = $1 RETURNING id, writer_id, seq, idx`,
      [picked.id],
    );
    const [forged] = rows;
    return forged && { outcome: 'tampered', place: placeOf(forged) };
  }),
);

const changePayload = fc
  .record({ row: fc.nat(200), how: fc.constantFrom('body', 'salt', 'gone', 'organization') })
  .map(({ row, how }) =>
    told(`payload of row ${row}: ${how}`, async (client) => {
      const picked = await pick(client, row, 'payload_commitment IS NOT NULL');
      if (picked === undefined) return undefined;
      const sql = {
        body: `UPDATE ${S}.audit_payload SET body = body || ' '::bytea WHERE id = $1`,
        salt: `UPDATE ${S}.audit_payload SET salt = substring(sha256(salt) FROM 1 FOR 16) WHERE id = $1`,
        gone: `DELETE FROM ${S}.audit_payload WHERE id = $1`,
        organization: `UPDATE ${S}.audit_payload SET organization_id = organization_id || 'x' WHERE id = $1`,
      }[how];
      await client.query(sql, [picked.id]);
      return { outcome: 'tampered', place: placeOf(picked) };
    }),
  );

/** Ways to change records and their payloads, by name. */
export const ROW_MUTATIONS: Readonly<Record<string, fc.Arbitrary<Mutation>>> = {
  'a column changed': changeColumn,
  'a column emptied': emptyColumn,
  'two columns swapped': swapColumns,
  'a row deleted': deleteRow,
  'a run deleted': deleteRun,
  'rows reordered': reorder,
  'a row inserted': insertRow,
  'a payload changed': changePayload,
};
