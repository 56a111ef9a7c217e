import type { Pool } from 'pg';
import type { LedgerEntry } from '../../libs/gatehouse/src/contracts/ledger.js';
import {
  EvidenceLog,
  type Appended,
  type MovedFacts,
  type WaitingFacts,
} from '../../libs/gatehouse/src/contracts/ports/evidence.log.js';
import { columnArrays } from '../../libs/gatehouse/src/persistence/postgres/ledger/column.arrays.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { leafData } from '../../libs/gatehouse/src/values/ledger/leaf.data.js';

/** The log without its seal: the same rows by the same statement, and no hash, no root, no header. */
export class UnsealedLog extends EvidenceLog {
  override readonly lanes = 2;
  private readonly writer = newId();

  constructor(private readonly pool: Pool) {
    super();
  }

  override async append(entries: readonly LedgerEntry[]): Promise<Appended> {
    const arrays = columnArrays(
      entries.map((entry) => ({
        entry,
        payload: null,
        data: leafData(entry.record, null),
        leaf: Buffer.alloc(0),
      })),
    );
    const names = arrays.map(({ column }) => column.name).join(', ');
    const parameters = arrays.map(({ column }, at) => `$${at + 2}::${column.type}[]`).join(', ');
    await this.pool.query({
      name: 'unsealed',
      text: `INSERT INTO gatehouse.audit_log (${names}, writer_id, seq, idx)
        SELECT ${arrays.map(({ column }) => `r.${column.name}`).join(', ')}, $1::uuid, 1, (r.ordinality - 1)::integer
          FROM unnest(${parameters}) WITH ORDINALITY AS r(${names}, ordinality)`,
      values: [this.writer, ...arrays.map(({ values }) => values)],
    });
    return { refused: [], conflicts: [] };
  }

  override open(): void {
    // Nobody asks who writes.
  }

  override onFacts(): () => void {
    return () => undefined;
  }

  override moveFacts = (): Promise<MovedFacts> => Promise.resolve({ moved: 0, refused: 0 });
  override waitingFacts = (): Promise<WaitingFacts> => Promise.resolve({ waiting: 0, oldestMs: 0 });
  override beat = (): Promise<void> => Promise.resolve();
  override markLost = (): Promise<readonly string[]> => Promise.resolve([]);
  override close = (): Promise<void> => Promise.resolve();
}
