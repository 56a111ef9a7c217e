import fc from 'fast-check';
import type { Fault } from '../../../libs/gatehouse/src/audit/verify/verify.report.js';
import { LOG_MUTATIONS } from './log.mutations.js';
import type { Expected } from './mutation.js';
import { ROW_MUTATIONS } from './row.mutations.js';
import { sealedTemplate, type SealedTemplate } from './sealed.evidence.js';

// Of each way; 15 ways. `npm run soak:verify` sets more, and a seed of its own.
const RUNS = Number(process.env['MUTATION_RUNS'] ?? 4);
const SEED = Number(process.env['MUTATION_SEED'] ?? 20261130);

const MUTATIONS = { ...ROW_MUTATIONS, ...LOG_MUTATIONS };

describe('verify finds what a superuser changes, and names the place', () => {
  let template: SealedTemplate;
  beforeAll(async () => {
    template = await sealedTemplate();
  });
  afterAll(() => template.drop());

  it.each(Object.entries(MUTATIONS))(
    '%s',
    async (_, mutations) => {
      let found = 0;
      await fc.assert(
        fc.asyncProperty(mutations, async (mutation) => {
          const evidence = await template.clone();
          try {
            const expected = await mutation(evidence.client);
            fc.pre(expected !== undefined);
            const { report } = await evidence.verify();
            expect(report.outcome).toBe(expected.outcome);
            expect(report.faults).toContainEqual(faultAt(expected));
            found += 1;
          } finally {
            await evidence.drop();
          }
        }),
        { numRuns: RUNS, seed: SEED, endOnFailure: true },
      );
      expect(found).toBe(RUNS);
    },
    RUNS * 15_000,
  );
});

const faultAt = ({ place, columns }: Expected): Fault =>
  expect.objectContaining({
    place: expect.objectContaining(place) as object,
    ...(columns && { columns, certainty: 'proven' }),
  }) as Fault;
