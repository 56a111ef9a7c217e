import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { Erasure } from '../../libs/gatehouse/src/audit/keeping/erasure.js';
import { LegalHolds } from '../../libs/gatehouse/src/audit/keeping/legal.holds.js';
import { Retention } from '../../libs/gatehouse/src/audit/keeping/retention.js';
import { archiveMonth } from '../../libs/gatehouse/src/cli/month.archive.js';
import { PostgresLogSource } from '../../libs/gatehouse/src/persistence/postgres/ledger/postgres.log.source.js';
import { at, KeptEvidence } from './kept.evidence.js';

const ARCHIVE = 'gatehouse-202401.ndjson';

describe('archives, and months that went', () => {
  let kept: KeptEvidence;
  const text = (name = ARCHIVE): Promise<string> => readFile(join(kept.folder, name), 'utf8');
  const write = (changed: string, name = ARCHIVE): Promise<void> => writeFile(join(kept.folder, name), changed);
  const retain = () => new Retention(kept.keeping, kept.seal.writer).retain({ keep: 'ai-act', by: 'ann' });

  beforeEach(async () => {
    kept = await KeptEvidence.open();
  });
  afterEach(() => kept.close());

  it('a month that went and is there again, empty, is as archived as before', async () => {
    await kept.keep(at('2024-01-10T00:00:00Z'));
    await retain();
    const before = await kept.verify();
    await kept.sql(`SELECT gatehouse.ensure_month('2024-01-15Z')`);
    const after = await kept.verify();
    expect([after.outcome, after.months[0]]).toEqual(['ok', { month: '202401', state: 'archived', records: 1 }]);
    expect(after.unchecked).toEqual(before.unchecked);
  });

  it('a late record of a month that went: it goes into an archive of its own, and both verify', async () => {
    await kept.keep(at('2024-01-10T00:00:00Z', { argumentsRepr: '"first"' }), at('2024-01-11T00:00:00Z'));
    await kept.retainIntoFolder();
    const first = await text();
    await kept.keep(at('2024-01-20T00:00:00Z'));
    expect((await kept.verify()).months[0]).toEqual({ month: '202401', state: 'archived', records: 3 });
    expect((await kept.verifyWith(ARCHIVE)).code).toBe(0);
    expect((await kept.retainIntoFolder()).out).toBe('202401  1 records  dropped\n');
    expect(await readdir(kept.folder)).toEqual(['gatehouse-202401-2.ndjson', ARCHIVE]);
    expect([await text(), (await text('gatehouse-202401-2.ndjson')).split('\n').length]).toEqual([first, 2]);
    expect((await kept.verifyWith(ARCHIVE, 'gatehouse-202401-2.ndjson')).code).toBe(0);
    const half = await kept.verifyWith(ARCHIVE);
    expect([half.code, half.out]).toEqual([1, expect.stringContaining('In the archive: All 1 records of batch')]);
  });

  it('rows that are gone from a month that is there, and never went, are missing as ever', async () => {
    await kept.keep(at('2024-01-10T00:00:00Z'));
    await kept.sql('ALTER TABLE gatehouse.audit_log_202401 DISABLE TRIGGER ALL');
    await kept.sql('DELETE FROM gatehouse.audit_log_202401');
    expect((await kept.verdict()).slice(0, 2)).toEqual(['tampered', 'record missing']);
  });

  it('two databases that share a folder keep two archives', async () => {
    const other = await KeptEvidence.open();
    await kept.keep(at('2024-01-10T00:00:00Z', { argumentsRepr: '"of the first"' }));
    await other.keep(at('2024-01-10T00:00:00Z', { argumentsRepr: '"of the second"' }));
    await kept.retainIntoFolder();
    await other.gatehouse(['retain', '--keep', 'ai-act', '--archive', kept.folder, '--by', 'ann']);
    expect([
      (await text()).includes('of the first'),
      (await text('gatehouse-202401-2.ndjson')).includes('of the second'),
    ]).toEqual([true, true]);
    expect(await readdir(kept.folder)).toHaveLength(2);
    await other.close();
  });

  it('an archive that is there already, of the same content, is the archive', async () => {
    await kept.keep(at('2024-01-10T00:00:00Z'));
    const source = new PostgresLogSource(kept.test.database);
    const archive = () => archiveMonth(source, '202401', { folder: kept.folder, schema: 'gatehouse' });
    const first = await archive();
    expect([await archive(), await readdir(kept.folder)]).toEqual([first, [ARCHIVE]]);
  });

  it('a payload that was taken out of an archive is missing, whatever the line says of itself', async () => {
    await kept.keep(at('2024-01-10T00:00:00Z', { argumentsRepr: '{"secret":"evidence"}' }));
    await kept.retainIntoFolder();
    const line = JSON.parse(await text()) as { payload: unknown; erased: boolean; seal: { salt: string | null } };
    for (const erased of [false, true]) {
      await write(`${JSON.stringify({ ...line, payload: null, erased, seal: { ...line.seal, salt: null } })}\n`);
      const answer = await kept.verifyWith(ARCHIVE);
      expect([answer.code, answer.out]).toEqual([
        1,
        expect.stringContaining(
          'In the archive: The payload of this record is gone, and no erasure was recorded that covers it.',
        ),
      ]);
    }
  });

  it('a payload that was erased before its month was archived is covered, once the month that told so went, too', async () => {
    await kept.keep(
      at('2024-01-10T00:00:00Z', { principalId: 'ann' }),
      at('2024-03-10T00:00:00Z', { principalId: 'zoe' }),
    );
    await new Erasure(kept.keeping, kept.seal.writer).erase({ principalId: 'ann', by: 'dpo' });
    await kept.seal.writer.flush();
    await kept.retainIntoFolder();
    const answer = await kept.verifyWith(ARCHIVE, 'gatehouse-202403.ndjson');
    expect([answer.code, answer.out]).toEqual([0, expect.stringContaining('(1 erased)')]);
  });

  it('an erasure is said again when the month that told of it goes before the month it is about', async () => {
    await kept.keep(
      at('2024-01-10T00:00:00Z', { organizationId: 'acme', principalId: 'bob' }),
      at('2024-01-11T00:00:00Z', { organizationId: 'x', principalId: 'ann' }),
      at('2024-02-11T00:00:00Z', { organizationId: 'x', principalId: 'zoe' }),
    );
    const hold = await new LegalHolds(kept.keeping, kept.seal.writer).place({
      organizationId: 'acme',
      reason: 'case',
      by: 'counsel',
    });
    const instant = new Date('2024-02-05T00:00:00Z');
    for (const [days, amount] of [
      [0, 1],
      [1, 0],
    ] as const) {
      const when = new Date(instant.getTime() + days * 86_400_000);
      await kept.test.evidence.append([
        {
          record: {
            id: v7({ msecs: when.getTime() }),
            kind: 'erased',
            at: when,
            principalId: 'ann',
            amount,
            reference: 'dpo',
          },
          payload: { reason: 'asked' },
        },
      ]);
    }
    await kept.seal.sealer.seal();
    await kept.sql(
      `DELETE FROM gatehouse.audit_payload WHERE id IN (SELECT id FROM gatehouse.audit_log WHERE principal_id = 'ann' AND kind = 'tool.executed')`,
    );
    expect(await kept.verdict()).toEqual(['ok']);
    expect(await retain()).toEqual([
      { month: '202401', records: 2, outcome: 'held', holds: [hold.id] },
      { month: '202402', records: 3, outcome: 'dropped' },
    ]);
    expect(await kept.verdict()).toEqual(['ok']);
    expect(
      await kept.sql(
        `SELECT l.at, l.principal_id, l.reference, convert_from(p.body, 'UTF8') AS body FROM gatehouse.audit_log l
          JOIN gatehouse.audit_payload p USING (id) WHERE kind = 'erased'`,
      ),
    ).toEqual([
      { at: new Date('2024-02-06T00:00:00Z'), principal_id: 'ann', reference: 'dpo', body: '{"reason":"asked"}' },
    ]);
  });

  it('an archive that is not used is an error, and a line that is none is named', async () => {
    await kept.keep(at('2024-01-10T00:00:00Z'), at('2024-01-11T00:00:00Z'));
    await kept.retainIntoFolder();
    const right = await text();
    await write('');
    expect(await kept.verifyWith(ARCHIVE)).toMatchObject({
      code: 4,
      err: expect.stringContaining('no record is in it'),
    });
    await write(right.replaceAll('018c', '018e'));
    expect(await kept.verifyWith(ARCHIVE)).toMatchObject({
      code: 4,
      err: expect.stringMatching(/The archive of \d{6} is of no month of this log/),
    });
    const [first = ''] = right.split('\n');
    for (const bad of [
      '{"record":{"id":"x"},"seal":{"writerId":"y"}}',
      '{"record":{"id":"018cf0ab-3000-7324-8951-3aa17f31c815"},"seal":{"writerId":"y","seq":1,"idx":0}}',
      first.replace(/"idx":\d+/, '"idx":99999999999'),
      first.replace(/"at":"[^"]*"/, '"at":"yesterday"'),
      first.replace(/"payloadCommitment":"[^"]*"/, '"payloadCommitment":7'),
      'null',
      '[]',
    ]) {
      await write(`${first}\n\n${bad}\n`);
      const { code, err } = await kept.verifyWith(ARCHIVE);
      expect([bad, code, err]).toEqual([
        bad,
        4,
        expect.stringContaining('line 3: it is no record of an NDJSON export'),
      ]);
    }
    await write(right);
    const shallow = await kept.gatehouse([
      'verify',
      ...['--key', 'example.com/audit+4161aac0+AWq5UTWvZd5sEI3AL2UYRHZl7eUvG0/wfQf6CdAdzZQ8', '--level', 'batches'],
      ...['--archive', join(kept.folder, ARCHIVE)],
    ]);
    expect([shallow.code, shallow.err]).toEqual([4, expect.stringContaining("level 'rows'")]);
  });
});
