import type { Fault } from '../../../libs/gatehouse/src/audit/verify/verify.report.js';
import { verifiedState } from '../../../libs/gatehouse/src/audit/verify/verified.state.js';
import { newId } from '../../../libs/gatehouse/src/values/ids.js';
import { sealedTemplate, type ClonedEvidence, type SealedTemplate } from './sealed.evidence.js';

describe('how far verify reaches', () => {
  let template: SealedTemplate;
  let evidence: ClonedEvidence;
  beforeAll(async () => {
    template = await sealedTemplate();
  });
  afterAll(() => template.drop());
  beforeEach(async () => {
    evidence = await template.clone();
  });
  afterEach(() => evidence.drop());

  const sql = async <Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await evidence.client.query<Row>(text, [...values])).rows;
  const heads = () => sql<{ tree_size: string }>('SELECT tree_size FROM gatehouse.audit_checkpoint ORDER BY tree_size');
  const kinds = (faults: readonly Fault[]): string[] => [...new Set(faults.map(({ kind }) => kind))];

  it('goes on where it stopped: what was verified is not read again, and must still be there', async () => {
    const [first] = await heads();
    const { state } = await evidence.verify();
    const kept = verifiedState(JSON.stringify(state));
    const again = await evidence.verify({ since: kept, anchors: [] });
    expect(again.report).toMatchObject({ outcome: 'ok', tailPinned: true });
    expect(again.report.counts).toMatchObject({ records: 0, payloads: 0 });
    expect(again.report.log.since).toBe(kept.size);
    expect(again.state).toEqual(kept);
    await sql('DELETE FROM gatehouse.audit_checkpoint WHERE tree_size > $1', [first?.tree_size]);
    await sql('DELETE FROM gatehouse.audit_leaf WHERE log_index >= $1', [first?.tree_size]);
    const cut = await evidence.verify({ since: kept, anchors: [] });
    expect(kinds(cut.report.faults)).toContain('log rolled back');
    expect(() => verifiedState('{"size":1}')).toThrow('none of an earlier verification');
  });

  it('looks as deep as it is asked to, and says what it did not look at', async () => {
    await sql(`UPDATE gatehouse.audit_payload SET body = body || ' '::bytea`);
    const outcomes = await Promise.all(
      (['checkpoints', 'batches', 'rows', 'payloads'] as const).map(async (level) => {
        const { report, state } = await evidence.verify({ level });
        return [level, report.outcome, report.counts.records > 0, state !== undefined, report.unchecked[0]];
      }),
    );
    expect(outcomes).toEqual([
      ['checkpoints', 'ok', false, false, "batch headers: the level is 'checkpoints'"],
      ['batches', 'ok', false, false, "records: the level is 'batches'"],
      ['rows', 'ok', true, false, "payloads: the level is 'rows'"],
      ['payloads', 'tampered', true, false, expect.stringContaining('whether what was recorded is true')],
    ]);
  });

  it('reads the records of the months it is asked for, and the log to its end', async () => {
    await sql(`UPDATE gatehouse.audit_log SET status = 'forged'`);
    const { report } = await evidence.verify({ until: new Date('2026-01-01T00:00:00Z') });
    expect(report).toMatchObject({ outcome: 'ok', counts: { records: 0 } });
    expect(report.months.map(({ state }) => state)).toEqual(['not asked for']);
    expect(report.unchecked.filter((what) => what.includes('not asked for'))).toHaveLength(1);
  });

  describe('with the rights of who may only read', () => {
    const READ = ['log', 'payload', 'batch', 'leaf', 'tile', 'checkpoint', 'anchor'].map(
      (name) => `gatehouse.audit_${name}`,
    );
    let asReader: string;
    beforeEach(async () => {
      await sql(`CREATE ROLE ${READER} LOGIN PASSWORD 'r'; GRANT USAGE ON SCHEMA gatehouse TO ${READER};
        GRANT SELECT ON ${READ.join(', ')}, gatehouse.evidence_writer, gatehouse.evidence_outbox TO ${READER};
        REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA gatehouse FROM PUBLIC`);
      const url = new URL(evidence.url);
      [url.username, url.password] = [READER, 'r'];
      asReader = url.href;
    });
    afterEach(() => sql(`DROP OWNED BY ${READER}; DROP ROLE ${READER}`));

    it('reads all that is there, on no partition, and calls no function of the schema', async () => {
      for (const table of ['audit_log', 'audit_payload'])
        await sql(`CREATE POLICY test_reads ON gatehouse.${table} FOR SELECT TO ${READER} USING (true)`);
      const { report } = await evidence.verify({}, asReader);
      expect(report).toMatchObject({ outcome: 'ok', faults: [] });
      expect(report.counts.records).toBeGreaterThan(50);
    });

    it('does not take what row-level security hides for what is gone', async () => {
      await sql('ALTER TABLE gatehouse.audit_log ENABLE ROW LEVEL SECURITY');
      await expect(evidence.verify({}, asReader)).rejects.toThrow('one organization alone');
    });
  });
});

const READER = `verify_reader_${newId().replaceAll('-', '')}`;
