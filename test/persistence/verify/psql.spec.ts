import { readFile } from 'node:fs/promises';
import { leafExpression } from '../../../libs/gatehouse/src/persistence/postgres/ledger/leaf.expression.js';
import { examplesOf, problemsOf } from '../../support/typed.examples.js';
import { sealedTemplate, type ClonedEvidence, type SealedTemplate } from './sealed.evidence.js';

const PAGE = 'docs/verify.md';

describe('what docs/verify.md says', () => {
  let queries: string[];
  let template: SealedTemplate;
  let evidence: ClonedEvidence;
  beforeAll(async () => {
    const text = await readFile(new URL(`../../../${PAGE}`, import.meta.url), 'utf8');
    queries = [...text.matchAll(/^```sql\n(.*?)^```$/gms)].map(([, block = '']) => block);
    template = await sealedTemplate();
  });
  afterAll(() => template.drop());
  beforeEach(async () => {
    evidence = await template.clone();
    await evidence.client.query('SET search_path = pg_catalog');
  });
  afterEach(() => evidence.drop());

  /** How many places each query names. */
  const places = async (): Promise<number[]> => {
    const counts: number[] = [];
    for (const query of queries) counts.push((await evidence.client.query(query)).rows.length);
    return counts;
  };

  it('is the very leaf that is sealed', () => {
    const flat = (text: string): string => text.replaceAll(/\s+/g, ' ');
    expect(flat(queries[0] ?? '')).toContain(flat(leafExpression('l')));
  });

  it('names no place in what nobody touched', async () => {
    expect(await places()).toEqual([0, 0, 0, 0]);
  });

  it.each([
    [
      'a record',
      `UPDATE gatehouse.audit_log SET status = '' WHERE id = (SELECT id FROM gatehouse.audit_log WHERE status IS NULL LIMIT 1)`,
      [1, 0, 0, 0],
    ],
    ['a row that is gone', "DELETE FROM gatehouse.audit_log WHERE kind = 'read' AND seq = 2", [3, 0, 0, 0]],
    ['a header', `UPDATE gatehouse.audit_batch SET last_id = first_id WHERE seq = 2`, [0, 3, 0, 0]],
    ['a leaf', `UPDATE gatehouse.audit_leaf SET hash = sha256('x') WHERE log_index = 2`, [0, 1, 1, 0]],
    [
      'the newest checkpoint gone',
      'DELETE FROM gatehouse.audit_checkpoint WHERE tree_size = (SELECT max(tree_size) FROM gatehouse.audit_checkpoint)',
      [0, 0, 1, 0],
    ],
    [
      'a payload',
      `UPDATE gatehouse.audit_payload SET body = body || ' '::bytea WHERE id = (SELECT min(id::text)::uuid FROM gatehouse.audit_payload)`,
      [0, 0, 0, 1],
    ],
  ])('names %s', async (_, change, expected) => {
    await evidence.client.query(change);
    expect(await places()).toEqual(expected);
  });

  it('compiles', async () => {
    expect(problemsOf([await examplesOf(PAGE)])).toEqual([[]]);
  }, 120_000);
});
