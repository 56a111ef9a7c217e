import type { EvidenceStore } from '../contracts/ports/evidence.store.js';
import { AuditTrail } from './audit.trail.js';

class Store {
  readonly asked: [string, unknown][] = [];
  executions = this.asking('executions');
  operations = this.asking('operations');
  approvals = this.asking('approvals');
  terminals = this.asking('terminals');
  timeline = this.asking('timeline');

  private asking(name: string) {
    return async (query: unknown): Promise<string> => {
      this.asked.push([name, query]);
      return `${name} page`;
    };
  }
}

describe('AuditTrail', () => {
  const nobody = {} as never;
  const trailOn = (store: Store): AuditTrail =>
    new AuditTrail(store as unknown as EvidenceStore, nobody, nobody, nobody, nobody, nobody, nobody);

  it('reads each ledger, 50 a page where nothing is said', async () => {
    const store = new Store();
    const trail = trailOn(store);
    const pages = [
      await trail.executions(),
      await trail.operations(),
      await trail.approvals(),
      await trail.terminals(),
    ];
    expect(pages).toEqual(['executions page', 'operations page', 'approvals page', 'terminals page']);
    expect(store.asked).toEqual([
      ['executions', { limit: 50 }],
      ['operations', { limit: 50 }],
      ['approvals', { limit: 50 }],
      ['terminals', { limit: 50 }],
    ]);
  });

  it('hands filters and cursor on, and keeps a page between 1 and 500', async () => {
    const store = new Store();
    const trail = trailOn(store);
    await trail.executions({ runId: 'r1', success: false, cursor: 'c', limit: 1000 });
    await trail.operations({ status: 'rejected', limit: 0 });
    await trail.terminals({ limit: Number.NaN });
    await trail.timeline('r1');
    expect(store.asked).toEqual([
      ['executions', { runId: 'r1', success: false, cursor: 'c', limit: 500 }],
      ['operations', { status: 'rejected', limit: 1 }],
      ['terminals', { limit: 50 }],
      ['timeline', 'r1'],
    ]);
  });
});
