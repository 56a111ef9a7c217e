import { sealedTemplate, type ClonedEvidence, type SealedTemplate } from './sealed.evidence.js';

describe('verify', () => {
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

  it('says ok of what nobody touched, pinned by an anchor', async () => {
    const { report, state } = await evidence.verify();
    expect(report.faults).toEqual([]);
    expect(report.shortfalls).toEqual([]);
    expect(report).toMatchObject({ outcome: 'ok', tailPinned: true });
    expect(state).toBeDefined();
    console.log(report);
  });
});
