import fc from 'fast-check';
import { argumentsRepr } from '../../libs/gatehouse/src/audit/arguments-repr.js';
import type { LedgerEntry } from '../../libs/gatehouse/src/contracts/ledger.js';
import { executionEntry } from '../../libs/gatehouse/src/values/ledger/execution.entry.js';
import { leafData } from '../../libs/gatehouse/src/values/ledger/leaf.data.js';
import { operationEntry } from '../../libs/gatehouse/src/values/ledger/operation.entry.js';
import { Redactor } from '../../libs/gatehouse/src/values/redactor.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { anExecution, anOperation } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import {
  recordColumns,
  recordOf,
  type RecordRow,
} from '../../libs/gatehouse/src/persistence/postgres/ledger/ledger.rows.js';
import { openDatabase, type OpenedDatabase } from '../persistence/opened.database.js';
import { logProblems } from './support/log.problems.js';

const VALUES = 10_000;
const CHUNK = 500;
const REDACTOR = new Redactor({});
const run = { id: newId(), threadId: 'thread' };

let test: OpenedDatabase;
beforeAll(async () => {
  test = await openDatabase();
});
afterAll(() => test.close());

// Half of a character, controls, NUL, anything a string of JavaScript can be.
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('\0', '\\u0000', '\ud800', '\udfff\ud800', '{NULL}', 'NULL', '"', '{"a":1}', '', '\ufeff', '\\x00'),
);
const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(Number.NaN, Infinity, -0, 2 ** 53, 1e308));
const entry: fc.Arbitrary<LedgerEntry> = fc
  .record({
    name: text,
    value: fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true, withTypedArray: true }),
    other: text,
    number,
    long: fc.boolean(),
  })
  .map(({ name, value, other, number: count, long }) => {
    const texts = { toolName: long ? name.repeat(20) : name, organizationId: other, principalId: name };
    return count > 0
      ? executionEntry(
          anExecution(run, {
            ...texts,
            argumentsRepr: argumentsRepr(value, REDACTOR),
            error: other,
            targetId: other,
            durationMs: count,
            resultSize: count,
          }),
        )
      : operationEntry(
          anOperation(run, {
            ...texts,
            argumentsRepr: argumentsRepr(value, REDACTOR),
            reason: other,
            guidance: name,
            toolCallId: other,
            durationMs: count,
          }),
        );
  });

it(`${VALUES} hostile values are stored and read back byte for byte, and every one is sealed`, async () => {
  const entries = fc.sample(entry, { numRuns: VALUES, seed: 20_260_101 });
  for (let at = 0; at < VALUES; at += CHUNK) {
    expect(await test.log.append(entries.slice(at, at + CHUNK), (at / CHUNK) % 2)).toEqual({
      refused: [],
      conflicts: [],
    });
  }
  let compared = 0;
  for (let at = 0; at < VALUES; at += CHUNK) {
    const rows = await test.source.query<(RecordRow & { id: string; body: Buffer | null })[]>(
      `SELECT ${recordColumns('l')}, p.body FROM gatehouse.audit_log l LEFT JOIN gatehouse.audit_payload p ON p.id = l.id WHERE l.id = ANY($1::uuid[])`,
      [entries.slice(at, at + CHUNK).map(({ record }) => record.id)],
    );
    const read = new Map(rows.map((row) => [row.id, row]));
    for (const { record, payload } of entries.slice(at, at + CHUNK)) {
      const row = read.get(record.id);
      const isSame =
        row !== undefined &&
        leafData(recordOf(row), null).equals(leafData(record, null)) &&
        row.body?.toString('utf8') === JSON.stringify(payload);
      if (!isSame) throw new Error(`Not what was stored: ${JSON.stringify({ record, payload, row })}`);
      compared += 1;
    }
  }
  expect(compared).toBe(VALUES);
  expect(await logProblems((text_, values) => test.source.query(text_, values))).toEqual([]);
}, 60_000);
