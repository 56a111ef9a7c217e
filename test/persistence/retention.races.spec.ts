import { v7 } from 'uuid';
import { LegalHolds } from '../../libs/gatehouse/src/audit/keeping/legal.holds.js';
import { Retention, type RetainedMonth } from '../../libs/gatehouse/src/audit/keeping/retention.js';
import type { EvidenceKeeping } from '../../libs/gatehouse/src/contracts/ports/evidence.keeping.js';
import { PostgresEvidenceKeeping } from '../../libs/gatehouse/src/persistence/postgres/keeping/postgres.evidence.keeping.js';
import { rolesScript } from '../../libs/gatehouse/src/persistence/postgres/doctor/roles.script.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { executionEntry } from '../../libs/gatehouse/src/values/ledger/execution.entry.js';
import { at, KeptEvidence } from './kept.evidence.js';

describe('what comes between a month and its going', () => {
  let kept: KeptEvidence;
  const retain = (
    archive?: () => Promise<string>,
    keeping: EvidenceKeeping = kept.keeping,
  ): Promise<readonly RetainedMonth[]> =>
    new Retention(keeping, kept.seal.writer).retain({ keep: 'ai-act', by: 'ann', ...(archive && { archive }) });
  const hold = () =>
    new LegalHolds(kept.keeping, kept.seal.writer).place({ organizationId: 'acme', reason: 'case', by: 'counsel' });
  const records = async (): Promise<number> =>
    (await kept.keeping.months()).find(({ month }) => month === '202401')?.records ?? 0;

  /** Something happens just before the database is asked to drop. */
  class Between extends PostgresEvidenceKeeping {
    constructor(private readonly happens: () => Promise<unknown>) {
      super(kept.test.database);
    }

    override async dropMonth(month: string): Promise<boolean> {
      await this.happens();
      return super.dropMonth(month);
    }
  }

  beforeEach(async () => {
    kept = await KeptEvidence.open();
    await kept.keep(at('2024-01-10T00:00:00Z', { organizationId: 'acme' }));
  });
  afterEach(() => kept.close());

  it('a hold that is placed while the month is archived keeps it, and no record says that it goes', async () => {
    let id = '';
    const done = await retain(async () => ((id = (await hold()).id), 'x'));
    expect(done).toEqual([{ month: '202401', records: 1, outcome: 'held', holds: [id] }]);
    expect([await records(), await kept.told('retention')]).toEqual([1, [`hold-placed ${id}`]]);
  });

  it('a record that comes while the month is archived keeps it, until it is archived too', async () => {
    const late = at('2024-01-20T00:00:00Z');
    const done = await retain(async () => {
      await kept.test.evidence.append([executionEntry(late)]);
      return 'x';
    });
    expect(done).toEqual([{ month: '202401', records: 2, outcome: 'changed meanwhile' }]);
    expect([await records(), await kept.told('retention')]).toEqual([2, []]);
    await kept.seal.sealer.seal();
    expect(await retain(async () => 'x')).toEqual([{ month: '202401', records: 2, outcome: 'dropped' }]);
  });

  it('the database itself refuses at the last moment: the month was kept, says the log', async () => {
    const held = await retain(undefined, new Between(hold));
    expect(held).toMatchObject([{ outcome: 'held' }]);
    const [placed] = await kept.keeping.holds();
    expect(await kept.told('retention')).toEqual(['dropped 202401 1', `hold-placed ${placed?.id}`, 'kept 202401']);
    expect(await kept.verdict()).toEqual(['ok']);
    await new LegalHolds(kept.keeping, kept.seal.writer).release(placed?.id ?? '', 'counsel');
    const append = () => kept.test.evidence.append([executionEntry(at('2024-01-20T00:00:00Z'))]);
    expect(await retain(undefined, new Between(append))).toMatchObject([{ records: 2, outcome: 'changed meanwhile' }]);
    expect([await records(), await kept.verdict()]).toEqual([2, ['ok']]);
    // As if somebody took the month whose going was taken back.
    await kept.sql('DROP TABLE gatehouse.audit_payload_202401, gatehouse.audit_log_202401');
    expect(await kept.verdict()).toEqual(['incomplete', 'missing month']);
  });

  it('no month goes by SQL that is not over, that is held, or has other records than were recorded', async () => {
    const drop = async (month: string): Promise<string> => {
      const failure: unknown = await kept
        .sql('SELECT gatehouse.drop_month($1)', [month])
        .catch((error: unknown) => error);
      return (failure as Error).message ?? 'dropped';
    };
    const say = (reference: string, amount: number): Promise<void> =>
      kept.test.evidence.append([
        {
          record: { id: newId(), kind: 'retention', at: new Date(), status: 'dropped', reference, amount },
          payload: null,
        },
      ]);
    const current = new Date().toISOString().slice(0, 7).replace('-', '');
    const next = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 2));
    const id = v7({ msecs: next.getTime() });
    await kept.test.evidence.append([
      {
        record: { id, kind: 'retention', at: new Date(), status: 'dropped', reference: current, amount: 0 },
        payload: null,
      },
    ]);
    expect(await drop(current)).toBe(`the month ${current} cannot go: it is not over`);
    await say('202401', 2);
    expect(await drop('202401')).toBe('the month 202401 cannot go: it has 1 records, and not 2 as recorded');
    await say('202401', 1);
    const { id: holdId } = await hold();
    expect(await drop('202401')).toBe('the month 202401 cannot go: a legal hold stands on it');
    await new LegalHolds(kept.keeping, kept.seal.writer).release(holdId, 'counsel');
    await kept.sql('SELECT gatehouse.drop_month($1)', ['202401']);
    expect((await kept.keeping.months()).map(({ month }) => month)).not.toContain('202401');
  });

  it('the maintenance role is enough to let a month go, archived, and to hold', async () => {
    await kept.sql(rolesScript('gatehouse'));
    const name = `maintenance_${newId().replaceAll('-', '').slice(-12)}`;
    await kept.sql(`CREATE ROLE ${name} LOGIN PASSWORD 'only-here' IN ROLE gatehouse_maintenance`);
    const as = (...argv: string[]) => kept.gatehouse(argv, { name, password: 'only-here' });
    expect(await as('retain', '--keep', 'ai-act', '--dry-run')).toMatchObject({ code: 0, err: '' });
    const held = JSON.parse((await as('hold', '--reason', 'x', '--by', 'ann', '--json')).out) as {
      holds: { id: string }[];
    };
    const id = held.holds[0]?.id ?? '';
    expect((await as('retain', '--keep', 'ai-act')).out).toBe(`202401  1 records  held by ${id}\n`);
    expect((await as('hold', '--release', id, '--by', 'ann')).code).toBe(0);
    const done = await as('retain', '--keep', 'ai-act', '--archive', kept.folder, '--by', 'ann');
    expect(done).toEqual({ code: 0, out: '202401  1 records  dropped\n', err: '' });
    expect((await kept.verifyWith('gatehouse-202401.ndjson')).code).toBe(0);
    await kept.sql(`DROP OWNED BY ${name}`);
    await kept.sql(`DROP ROLE ${name}`);
  });
});
