import type { LedgerRecord } from '../../contracts/ledger.js';
import { leafHash } from '../transparency/merkle.tree.js';
import { encodeLeaf, leafData } from './leaf.data.js';
import { LEDGER_COLUMNS } from './ledger.columns.js';
import { UnstorableValue } from './leaf.values.js';
import { recordValues } from './record.values.js';

const FIELDS = LEDGER_COLUMNS.map(({ field }) => field).filter((field) => field !== 'payloadCommitment');
const RECORD = { id: '01890000-0000-7000-8000-00000000000f', kind: 'gap', at: new Date(0) } as const;

it('the values of a record come in the order of the tags, and the commitment is the last column', () => {
  const record = Object.fromEntries(FIELDS.map((field) => [field, field])) as unknown as LedgerRecord;
  expect(recordValues(record)).toEqual(FIELDS);
  expect(LEDGER_COLUMNS.findIndex(({ field }) => field === 'payloadCommitment')).toBe(FIELDS.length);
});

it('a leaf is hashed as it is encoded', () => {
  const { data, leaf } = encodeLeaf({ ...RECORD, reference: 'ü'.repeat(10_000) }, null);
  expect(leaf).toEqual(leafHash(data));
  expect(data).toEqual(leafData({ ...RECORD, reference: 'ü'.repeat(10_000) }, null));
});

it.each([
  ['runId', 'no uuid'],
  ['runId', '01890000_0000-7000-8000-00000000000f'],
  ['runId', '01890000-0000-7000-8000-00000000000g'],
  ['at', new Date(Number.NaN)],
  ['step', 2 ** 31],
  ['step', 1.5],
  ['amount', 2 ** 53],
  ['late', 'true'],
  ['toolName', 7],
])('%s refuses %p before the database sees it, without quoting it', (field, value) => {
  const encode = (): unknown => leafData({ ...RECORD, [field]: value }, null);
  expect(encode).toThrow(UnstorableValue);
  expect(encode).toThrow(`'${field}' of the record is no`);
});
