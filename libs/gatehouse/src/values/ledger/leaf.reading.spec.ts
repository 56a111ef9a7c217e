import type { LedgerRecord } from '../../contracts/ledger.js';
import { leafData } from './leaf.data.js';
import { readLeaf } from './leaf.reading.js';

const RECORD: LedgerRecord = {
  id: '0199c0de-0000-7000-8000-000000000001',
  kind: 'tool.executed',
  at: new Date('2026-11-30T23:59:59.999Z'),
  startedAt: new Date('1999-12-31T00:00:00.001Z'),
  organizationId: '',
  principalId: 'ändré 🙂',
  runId: '0199c0de-0000-7000-8000-0000000000ff',
  step: -1,
  late: false,
  executionStarted: true,
  durationUs: Number.MAX_SAFE_INTEGER,
  amount: 0,
};

describe('reading a leaf', () => {
  it('gives back what was encoded, exactly', () => {
    const commitment = Buffer.alloc(32, 7);
    expect(readLeaf(leafData(RECORD, commitment))).toEqual({ record: RECORD, commitment });
    expect(readLeaf(leafData(RECORD, null))).toEqual({ record: RECORD, commitment: null });
  });

  it('gives nothing for what no encoder wrote', () => {
    const data = leafData(RECORD, null);
    const first = data.subarray(1, 22);
    const twice = Buffer.concat([data.subarray(0, 22), first, data.subarray(22)]);
    const unknownTag = Buffer.concat([data, Buffer.of(200, 0, 0, 0, 0)]);
    const otherCodec = Buffer.concat([Buffer.of(2), data.subarray(1)]);
    const others = [Buffer.alloc(0), Buffer.of(1), data.subarray(0, -1), twice, unknownTag, otherCodec];
    expect(others.map(readLeaf)).toEqual(others.map(() => undefined));
  });
});
