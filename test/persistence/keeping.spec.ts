import { v7 } from 'uuid';
import type { AuditEvent } from '../../libs/gatehouse/src/contracts/audit.event.js';
import { Erasure } from '../../libs/gatehouse/src/audit/keeping/erasure.js';
import { LegalHolds } from '../../libs/gatehouse/src/audit/keeping/legal.holds.js';
import { Retention, type RetainedMonth } from '../../libs/gatehouse/src/audit/keeping/retention.js';
import { ConfigurationError } from '../../libs/gatehouse/src/contracts/errors/configuration.error.js';
import { LegalHoldError } from '../../libs/gatehouse/src/contracts/errors/legal-hold.error.js';
import { PostgresEvidenceKeeping } from '../../libs/gatehouse/src/persistence/postgres/keeping/postgres.evidence.keeping.js';
import {
  anApproval,
  anEnding,
  anExecution,
  anOperation,
  yes,
} from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { fenceOf, running } from '../../libs/gatehouse/src/testing/contracts/store.scenes.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { executionEntry } from '../../libs/gatehouse/src/values/ledger/execution.entry.js';
import { openDatabase, type OpenedDatabase } from './opened.database.js';
import { sealing, type Sealing } from './sealing.js';

describe('keeping evidence', () => {
  let test: OpenedDatabase;
  let seal: Sealing;
  let keeping: PostgresEvidenceKeeping;
  const sql = <Row>(text: string, values: unknown[] = []): Promise<Row[]> => test.source.query<Row[]>(text, values);

  beforeEach(async () => {
    test = await openDatabase();
    keeping = new PostgresEvidenceKeeping(test.database);
    seal = sealing(test);
    seal.sealer.onApplicationBootstrap();
  });
  afterEach(async () => {
    await seal.sealer.onApplicationShutdown();
    await seal.writer.onApplicationShutdown();
    await test.close();
  });

  describe('retention', () => {
    /** An execution of that instant. */
    const at = (instant: string, changes: Partial<AuditEvent> = {}): AuditEvent => ({
      ...anExecution({ id: newId(), threadId: 't' }),
      id: v7({ msecs: Date.parse(instant) }),
      startedAt: new Date(instant),
      finishedAt: new Date(instant),
      ...changes,
    });
    const keep = async (...events: AuditEvent[]): Promise<void> => {
      await test.evidence.append(events.map(executionEntry));
      await seal.sealer.seal();
    };
    const retain = async (asOf: string, changes = {}): Promise<string[]> => {
      const retention = new Retention(keeping, seal.writer);
      const months = await retention.retain({ keep: 'ai-act', by: 'ann', asOf: new Date(asOf), ...changes });
      return months.map(({ month, outcome }: RetainedMonth) => `${month} ${outcome}`);
    };
    const months = async (): Promise<string[]> => (await keeping.months()).map(({ month }) => month);

    it('drops a month once it has been over for the whole period, counted from its end, in UTC', async () => {
      await keep(at('2024-02-29T23:59:59.999Z'), at('2024-03-01T00:00:00.000Z'));
      // 184 days after 2024-03-01T00:00Z, the end of February.
      expect(await retain('2024-08-31T23:59:59.999Z')).toEqual([]);
      expect(await retain('2024-09-01T00:00:00.000Z')).toEqual(['202402 dropped']);
      expect(await months()).not.toContain('202402');
      expect(await months()).toContain('202403');
      const left = await sql('SELECT FROM gatehouse.audit_log WHERE at < $1', ['2024-03-01T00:00:00Z']);
      expect(left).toEqual([]);
      expect(
        await sql(
          `SELECT status, reference, amount::integer, principal_id FROM gatehouse.audit_log WHERE kind = 'retention'`,
        ),
      ).toEqual([{ status: 'dropped', reference: '202402', amount: 1, principal_id: 'ann' }]);
      expect(
        await sql('SELECT FROM gatehouse.audit_batch WHERE first_id < gatehouse.uuid_floor($1)', [
          '2024-03-01T00:00:00Z',
        ]),
      ).toHaveLength(1);
    });

    it('ends a year in UTC, whatever zone the session has', async () => {
      await sql(`ALTER DATABASE "${new URL(test.url).pathname.slice(1)}" SET timezone TO 'America/Chicago'`);
      await keep(at('2024-12-31T23:59:59.999Z'));
      expect(await months()).toContain('202412');
      expect((await keeping.months()).find(({ month }) => month === '202412')?.until).toEqual(
        new Date('2025-01-01T00:00:00.000Z'),
      );
    });

    it('keeps a month with a record of a call that ended later', async () => {
      await keep(at('2024-01-31T12:00:00Z', { finishedAt: new Date('2024-05-01T12:00:00Z') }));
      expect(await retain('2024-09-01T00:00:00.000Z')).toEqual(['202401 newer records']);
      expect(await retain('2024-12-01T00:00:00.000Z')).toEqual(['202401 dropped']);
    });

    it('keeps what is not sealed, and at most drops what it was told', async () => {
      await test.evidence.append([at('2024-01-01T00:00:00Z'), at('2024-02-01T00:00:00Z')].map(executionEntry));
      expect(await retain('2025-01-01T00:00:00Z')).toEqual(['202401 unsealed', '202402 unsealed']);
      await seal.sealer.seal();
      expect(await retain('2025-01-01T00:00:00Z', { dryRun: true })).toEqual([
        '202401 would be dropped',
        '202402 would be dropped',
      ]);
      expect(await retain('2025-01-01T00:00:00Z', { most: 1 })).toEqual([
        '202401 dropped',
        '202402 over the most of one call',
      ]);
    });

    it('says again what a month that goes said of earlier ones', async () => {
      await keep(at('2024-01-01T00:00:00Z'), at('2024-03-01T00:00:00Z'));
      expect(await retain('2024-09-01T00:00:00Z')).toEqual(['202401 dropped']);
      // As if that had been said in March.
      await sql('ALTER TABLE gatehouse.audit_log DISABLE TRIGGER ALL');
      await sql(
        `UPDATE gatehouse.audit_log SET id = gatehouse.uuid_floor('2024-03-02Z'), at = '2024-03-02Z' WHERE kind = 'retention'`,
      );
      await seal.sealer.seal();
      expect(await retain('2024-11-01T00:00:00Z')).toEqual(['202403 dropped']);
      const said = await sql(`SELECT reference FROM gatehouse.audit_log WHERE kind = 'retention' ORDER BY id`);
      expect(said).toEqual([{ reference: '202401' }, { reference: '202403' }]);
    });

    it('never keeps less than 184 days unless it is forced, and never counts from the future', async () => {
      const retention = new Retention(keeping, seal.writer);
      await expect(retention.retain({ keep: '183d', by: 'ann' })).rejects.toThrow(ConfigurationError);
      await keep(at(new Date(Date.now() - 32 * 86_400_000).toISOString()));
      expect(await retain('2099-01-01T00:00:00Z')).toEqual([]);
    });

    it('keeps what is held, until the hold is released', async () => {
      const [mine, other] = [
        at('2024-01-02T00:00:00Z', { organizationId: 'acme' }),
        at('2024-02-02T00:00:00Z', { organizationId: 'other' }),
      ];
      await keep(mine, other);
      const holds = new LegalHolds(keeping, seal.writer);
      const hold = await holds.place({ organizationId: 'acme', reason: 'a lawsuit', by: 'counsel' });
      expect(await retain('2025-01-01T00:00:00Z')).toEqual(['202401 held', '202402 dropped']);
      expect(await holds.release(hold.id, 'counsel')).toMatchObject({ id: hold.id, releasedBy: 'counsel' });
      expect(await holds.release(hold.id, 'counsel')).toBeUndefined();
      expect(await retain('2025-01-01T00:00:00Z')).toEqual(['202401 dropped']);
      await seal.writer.flush();
      const told = await sql<{ status: string }>(
        `SELECT status FROM gatehouse.audit_log WHERE kind = 'retention' ORDER BY id`,
      );
      expect(told.map(({ status }) => status)).toEqual(['hold-placed', 'dropped', 'hold-released', 'dropped']);
    });

    it('keeps a month whose archive failed', async () => {
      await keep(at('2024-01-02T00:00:00Z'));
      const failing = { archive: () => Promise.reject(new Error('no space')) };
      await expect(retain('2025-01-01T00:00:00Z', failing)).rejects.toThrow('no space');
      expect(await months()).toContain('202401');
    });

    it('lets nobody drop a month that no record lets go', async () => {
      await keep(at('2024-01-02T00:00:00Z'));
      await expect(sql(`SELECT gatehouse.drop_month('202401')`)).rejects.toMatchObject({
        driverError: { code: '23001' },
      });
      await expect(sql(`SELECT gatehouse.drop_month('x; DROP')`)).rejects.toMatchObject({
        driverError: { code: '23001' },
      });
    });
  });

  describe('erasure', () => {
    const erasure = (): Erasure => new Erasure(keeping, seal.writer);
    const ended = async (): Promise<string> => {
      const run = await running(test);
      const approval = await test.store.requestApproval(fenceOf(run), anApproval(run));
      await test.store.vote([yes(approval.id, 'bob', { reason: 'fine by bob' })]);
      const operations = [anOperation(run, { argumentsRepr: '{"canary":"ann-s3cret"}' })];
      await test.store.finish(
        fenceOf(run),
        anEnding(run, { operations, audit: anExecution(run, { argumentsRepr: '"ann-s3cret"' }) }),
        [],
      );
      return run.id;
    };
    const grep = async (text: string): Promise<string[]> => {
      const tables = await sql<{ name: string }>(
        `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'gatehouse'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`,
      );
      const found: string[] = [];
      for (const { name } of tables) {
        const rows = await sql(
          name === 'audit_payload'
            ? `SELECT FROM gatehouse.audit_payload WHERE convert_from(body, 'UTF8') LIKE $1`
            : `SELECT FROM gatehouse."${name}" t WHERE t::text LIKE $1`,
          [`%${text}%`],
        );
        if (rows.length > 0) found.push(name);
      }
      return found;
    };

    it('takes away what a person wrote and what was written about them, everywhere, and keeps the sealed records', async () => {
      const runId = await ended();
      await seal.writer.flush();
      expect(await grep('s3cret')).not.toEqual([]);
      const records = await sql('SELECT * FROM gatehouse.audit_log ORDER BY id');
      const done = await erasure().erase({ principalId: 'ann', by: 'dpo', reason: 'asked for it' });
      expect(done).toMatchObject({ runs: 1, activeRuns: 0 });
      expect(done.payloads).toBeGreaterThan(3);
      expect([await grep('s3cret'), await grep('fine by bob'), await grep('Refund order 1')]).toEqual([[], [], []]);
      expect(await sql('SELECT * FROM gatehouse.audit_log WHERE kind <> $1 ORDER BY id', ['erased'])).toEqual(
        expect.arrayContaining(records),
      );
      const [operation] = (await test.evidence.operations({ runId })).items;
      expect(operation).toMatchObject({ status: 'completed', argumentsRepr: '[erased]' });
      expect(await erasure().erase({ principalId: 'ann', by: 'dpo' })).toMatchObject({ payloads: 0, runs: 0 });
      const erased = await sql(
        `SELECT principal_id, run_id, reference FROM gatehouse.audit_log WHERE kind = 'erased' ORDER BY principal_id`,
      );
      expect(erased).toEqual([
        { principal_id: 'ann', run_id: null, reference: 'dpo' },
        { principal_id: null, run_id: runId, reference: 'dpo' },
      ]);
    });

    it('only counts when told so, leaves what still runs, and takes one run alone', async () => {
      const [one, other, active] = [await ended(), await ended(), await running(test)];
      await seal.writer.flush();
      const counted = await erasure().erase({ principalId: 'ann', by: 'dpo', dryRun: true });
      expect(counted).toMatchObject({ runs: 2, activeRuns: 1 });
      expect(await erasure().erase({ runId: one, by: 'dpo' })).toMatchObject({ runs: 1, activeRuns: 0 });
      const shown = async (runId: string): Promise<string | undefined> =>
        (await test.evidence.executions({ runId })).items[0]?.argumentsRepr;
      expect([await shown(one), await shown(other)]).toEqual(['[erased]', '"ann-s3cret"']);
      expect(await erasure().erase({ runId: active.id, by: 'dpo' })).toEqual({ payloads: 0, runs: 0, activeRuns: 1 });
      expect((await test.reader.run(active.id))?.instructions).toBe('Be brief.');
    });

    it('takes nothing that is held', async () => {
      const runId = await ended();
      await seal.writer.flush();
      const hold = await new LegalHolds(keeping, seal.writer).place({ runId, reason: 'a lawsuit', by: 'counsel' });
      await expect(erasure().erase({ principalId: 'ann', by: 'dpo' })).rejects.toThrow(LegalHoldError);
      await expect(erasure().erase({ principalId: 'ann', by: 'dpo' })).rejects.toThrow(hold.id);
      expect(await grep('s3cret')).not.toEqual([]);
    });
  });
});
