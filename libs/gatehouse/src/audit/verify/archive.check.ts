import type { LedgerSnapshot, StoredBatch } from '../../contracts/ports/ledger.reader.js';
import { batchKey, type ArchivedMonth, type Erased } from './archived.month.js';
import type { Findings } from './findings.js';
import { faultOf, rowsIn, type BatchFault } from './rows.check.js';

const EMPTY = Buffer.alloc(0);

/** What the archive of a month is held against. */
export interface ArchivedState {
  /** Whether a record says that the month went. */
  readonly isDropped: boolean;
  /** Whether it has a partition (again). */
  readonly isThere: boolean;
}

/** What an archive had that is not in the database any more. */
export interface ArchiveCounts {
  records: number;
  payloads: number;
  erased: number;
}

/** Holds archives of months that went against the headers that stayed. */
export class ArchiveCheck {
  private erasures: Promise<readonly Erased[]> | undefined;

  constructor(
    private readonly snapshot: LedgerSnapshot,
    private readonly findings: Findings,
    private readonly archives: ReadonlyMap<string, ArchivedMonth>,
  ) {}

  async check(archive: ArchivedMonth, { isDropped, isThere }: ArchivedState): Promise<ArchiveCounts> {
    const { month } = archive;
    const counts: ArchiveCounts = { records: 0, payloads: 0, erased: 0 };
    const left = new Map(archive.batches);
    const faults: BatchFault[] = [];
    const hold = (batch: StoredBatch): void => {
      const fault = faultOf(month, batch);
      if (fault !== undefined) faults.push(fault);
    };
    await this.snapshot.batches(month, 0, ({ header, writerId, seq, rows }) => {
      const key = batchKey(writerId, seq);
      const archived = left.get(key);
      left.delete(key);
      const isGone = rows.length === 0;
      if (archived !== undefined) {
        const batch = { header, writerId, seq, rows: archived.rows };
        hold(batch);
        if (!isGone) return;
        counts.records += rowsIn(batch);
        counts.payloads += archived.payloads;
      } else if (isGone && (isDropped || !isThere)) {
        hold({ header, writerId, seq, rows: EMPTY });
      }
    });
    for (const [key, { rows }] of left) {
      const [writerId = '', seq = ''] = key.split('/');
      hold({ header: undefined, writerId, seq: Number(seq), rows });
    }
    for (const { kind, place, message } of faults) this.findings.fault(kind, place, `In the archive: ${message}`);
    for (const id of archive.badPayloads) this.findings.fault('payload changed', { month, id }, CHANGED);
    counts.erased = await this.checkMissing(archive);
    return counts;
  }

  private async checkMissing({ month, missingPayloads }: ArchivedMonth): Promise<number> {
    if (missingPayloads.length === 0) return 0;
    const covered = latest(await (this.erasures ??= this.allErasures()));
    let erased = 0;
    for (const { id, at, principalId, runId } of missingPayloads) {
      const of = (key: string): number => covered.get(key) ?? -Infinity;
      const until = Math.max(of(`principal ${principalId ?? ''}`), of(`run ${runId ?? ''}`));
      if (until >= at.getTime()) erased += 1;
      else this.findings.fault('payload missing', { month, id }, MISSING);
    }
    return erased;
  }

  // That of a month that went may be told in an archive alone.
  private async allErasures(): Promise<readonly Erased[]> {
    const archived = [...this.archives.values()].flatMap(({ erasures }) => erasures);
    return [...(await this.snapshot.erasures()), ...archived];
  }
}

/** Until when each subject's traces were erased, in milliseconds. */
function latest(erasures: readonly Erased[]): ReadonlyMap<string, number> {
  const until = new Map<string, number>();
  const note = (key: string, at: Date): void => {
    until.set(key, Math.max(until.get(key) ?? -Infinity, at.getTime()));
  };
  for (const { at, principalId, runId } of erasures) {
    if (typeof principalId === 'string') note(`principal ${principalId}`, at);
    if (typeof runId === 'string') note(`run ${runId}`, at);
  }
  return until;
}

const CHANGED = 'In the archive: The payload does not fit the commitment of its record: one of both was changed.';
const MISSING = 'In the archive: The payload of this record is gone, and no erasure was recorded that covers it.';
