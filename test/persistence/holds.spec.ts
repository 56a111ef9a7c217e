import { Erasure } from '../../libs/gatehouse/src/audit/keeping/erasure.js';
import { LegalHolds } from '../../libs/gatehouse/src/audit/keeping/legal.holds.js';
import { InvalidQueryError } from '../../libs/gatehouse/src/contracts/errors/invalid-query.error.js';
import { LegalHoldError } from '../../libs/gatehouse/src/contracts/errors/legal-hold.error.js';
import { rolesScript } from '../../libs/gatehouse/src/persistence/postgres/doctor/roles.script.js';
import { anEnding, anExecution, anOperation } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { fenceOf, running } from '../../libs/gatehouse/src/testing/contracts/store.scenes.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { at, KeptEvidence } from './kept.evidence.js';

describe('legal holds and erasures', () => {
  let kept: KeptEvidence;
  const holds = () => new LegalHolds(kept.keeping, kept.seal.writer);
  const erase = (principalId: string) => new Erasure(kept.keeping, kept.seal.writer).erase({ principalId, by: 'dpo' });

  beforeEach(async () => {
    kept = await KeptEvidence.open();
  });
  afterEach(() => kept.close());

  it('a hold on a run keeps what was done in it for somebody with a very long name', async () => {
    const name = 'p'.repeat(400);
    const run = await running(kept.test);
    await kept.sql('UPDATE gatehouse.agent_run SET principal_id = $2 WHERE id = $1', [run.id, name]);
    const changes = { principalId: 'other' };
    await kept.test.store.finish(
      fenceOf(run),
      anEnding(run, { operations: [anOperation(run, changes)], audit: anExecution(run, changes) }),
      [],
    );
    await kept.seal.writer.flush();
    await holds().place({ runId: run.id, reason: 'case', by: 'counsel' });
    await expect(erase(name)).rejects.toThrow(LegalHoldError);
  });

  it('a hold of a time that ends before it begins is refused; the range of others is shown', async () => {
    const [from, until] = [new Date('2026-12-01T00:00:00Z'), new Date('2026-11-01T00:00:00Z')];
    for (const range of [
      { from, until },
      { from, until: from },
      { from: new Date(NaN), until },
    ]) {
      await expect(holds().place({ ...range, reason: 'case', by: 'counsel' })).rejects.toThrow(InvalidQueryError);
    }
    expect(await holds().list()).toEqual([]);
    const hold = ['hold', '--reason', 'case', '--by', 'counsel'];
    expect((await kept.gatehouse([...hold, '--from', '2026-12-01', '--until', '2026-11-01'])).code).toBe(4);
    expect((await kept.gatehouse([...hold, '--from', '2020-01-01', '--until', '2020-02-01'])).out).toContain(
      '  everything from 2020-01-01T00:00:00.000Z until 2020-02-01T00:00:00.000Z  stands  placed by counsel on ',
    );
  });

  it('a hold that cannot be recorded as released stands', async () => {
    const { id } = await holds().place({ principalId: 'bob', reason: 'case', by: 'counsel' });
    await kept.seal.writer.beforeApplicationShutdown();
    await kept.seal.writer.onApplicationShutdown();
    await expect(holds().release(id, 'mallory')).rejects.toThrow("A record of kind 'retention'");
    expect((await holds().list()).map(({ releasedBy }) => releasedBy)).toEqual([undefined]);
    expect(await holds().release(newId(), 'mallory')).toBeUndefined();
  });

  it('an erasure clears calls that were deferred, as whoever maintains the evidence', async () => {
    const run = await running(kept.test);
    await kept.sql(
      `INSERT INTO gatehouse.deferred_call (operation_id, run_id, tool_call_id, tool_name, shown, arguments_digest, metadata, executed, status,
          requested_at, result, result_digest, answered_by)
        VALUES (gen_random_uuid(), $1, 'c', 't', '{"card":"s3cret"}', 'x', '{"note":"s3cret"}', true, 'answered', now(), '"s3cret"', 'y', 'z')`,
      [run.id],
    );
    const audit = anExecution(run, {});
    await kept.test.store.finish(fenceOf(run), anEnding(run, { operations: [], audit }), []);
    await kept.seal.writer.flush();
    await kept.sql(rolesScript('gatehouse'));
    const name = `maintenance_${newId().replaceAll('-', '').slice(-12)}`;
    await kept.sql(`CREATE ROLE ${name} LOGIN PASSWORD 'only-here' IN ROLE gatehouse_maintenance`);
    const done = await kept.gatehouse(['erase', '--principal', 'ann', '--by', 'dpo'], { name, password: 'only-here' });
    expect([done.code, done.out]).toEqual([0, expect.stringContaining('the working state of 1 runs erased.')]);
    expect(await kept.sql('SELECT shown, metadata, result, result_digest FROM gatehouse.deferred_call')).toEqual([
      { shown: '{}', metadata: '{}', result: null, result_digest: null },
    ]);
    await kept.sql(`DROP OWNED BY ${name}`);
    await kept.sql(`DROP ROLE ${name}`);
  });

  it('an erasure of somebody who let months go leaves the digests of their archives', async () => {
    await kept.keep(
      at('2024-01-10T00:00:00Z', { principalId: 'bob' }),
      at('2026-01-10T00:00:00Z', { principalId: 'ann' }),
    );
    await kept.gatehouse(['retain', '--keep', '800d', '--archive', kept.folder, '--by', 'ann']);
    expect(await erase('ann')).toEqual({ payloads: 1, runs: 0, activeRuns: 0 });
    const details = await kept.sql<{ detail: string }>(
      `SELECT convert_from(p.body, 'UTF8')::json ->> 'detail' AS detail FROM gatehouse.audit_log l JOIN gatehouse.audit_payload p USING (id)
        WHERE kind = 'retention'`,
    );
    expect(details.map(({ detail }) => (JSON.parse(detail) as { archive: string }).archive)).toEqual([
      'gatehouse-202401.ndjson',
    ]);
    expect(await kept.verdict()).toEqual(['ok']);
  });
});
