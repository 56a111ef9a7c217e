import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import type { LedgerSnapshot, StoredBatch } from '../../contracts/ports/ledger.reader.js';
import { monthInstants, monthStart } from '../../values/ledger/log.month.js';
import { ArchiveCheck } from './archive.check.js';
import type { ArchivedMonth } from './archived.month.js';
import { findChange } from './changed.row.js';
import type { Findings } from './findings.js';
import type { AskedRange } from './notices.check.js';
import { faultOf, rowsIn, type BatchFault } from './rows.check.js';
import type { VerifyProgress } from './verify.options.js';
import type { FaultKind, VerifiedMonth } from './verify.report.js';

const LOOKED_INTO = 5;
const BAD_PAYLOADS = 100;

/** What was counted on the way. */
export interface MonthCounts {
  records: number;
  payloads: number;
  erased: number;
}

/** What the check of months is to do. */
export interface MonthCheckOptions extends AskedRange {
  readonly withPayloads: boolean;
  readonly since: number;
  readonly dropped: ReadonlySet<string>;
  /** Months that are held against an archive where they are gone. */
  readonly archives: ReadonlyMap<string, ArchivedMonth>;
  readonly total: number;
  readonly onProgress: (progress: VerifyProgress) => void;
}

/** Checks the records of the months that are asked for, one month after the other. */
export class MonthCheck {
  readonly counts: MonthCounts = { records: 0, payloads: 0, erased: 0 };
  private readonly archives: ArchiveCheck;
  private looked = 0;

  constructor(
    private readonly snapshot: LedgerSnapshot,
    private readonly findings: Findings,
    private readonly options: MonthCheckOptions,
  ) {
    this.archives = new ArchiveCheck(snapshot, findings, options.archives);
  }

  async checkAll(): Promise<readonly VerifiedMonth[]> {
    const said = new Map((await this.snapshot.batchMonths()).map(({ month, records }) => [month, records]));
    const there = new Set(await this.snapshot.months());
    const checked: VerifiedMonth[] = [];
    for (const month of [...new Set([...said.keys(), ...there])].sort()) {
      if (monthStart(month) === undefined) {
        this.findings.fault('header changed', { month }, 'Batches or records have ids of a month that cannot be.');
        continue;
      }
      const state = await this.check(month, there.has(month));
      checked.push(Object.freeze({ month, state, records: said.get(month) ?? 0 }));
    }
    this.refuseUnused(new Set(checked.map(({ month }) => month)));
    return checked.filter(({ records }) => records > 0);
  }

  private async check(month: string, isThere: boolean): Promise<VerifiedMonth['state']> {
    const { from, until } = monthInstants(month);
    const { options } = this;
    if (options.from !== undefined && until <= options.from.getTime()) return 'not asked for';
    if (options.until !== undefined && from >= options.until.getTime()) return 'not asked for';
    if (!isThere) return (await this.checkArchive(month, false)) ? 'archive checked' : this.absent(month);
    const gone = await this.checkRows(month);
    if (options.withPayloads) await this.checkPayloads(month);
    const isArchiveChecked = await this.checkArchive(month, true);
    if (gone === 0) return 'checked';
    if (isArchiveChecked) return 'archive checked';
    return this.absent(month);
  }

  // Who passes an archive wants it looked at: one of a month the log does not have is the wrong one, or has another month's records.
  private refuseUnused(months: ReadonlySet<string>): void {
    for (const month of this.options.archives.keys()) {
      if (months.has(month)) continue;
      throw new ConfigurationError(`The archive of ${month} is of no month of this log. Pass those of this log alone.`);
    }
  }

  /** A month that is gone, as it was archived: against the headers that stayed. Whether its going was recorded is told all the same. */
  private async checkArchive(month: string, isThere: boolean): Promise<boolean> {
    const archive = this.options.archives.get(month);
    if (archive === undefined) return false;
    const isDropped = this.options.dropped.has(month);
    if (!isThere && !isDropped) this.absent(month);
    const { records, payloads, erased } = await this.archives.check(archive, { isDropped, isThere });
    this.counts.records += records;
    this.counts.payloads += payloads;
    this.counts.erased += erased;
    return true;
  }

  private absent(month: string): 'archived' | 'missing' {
    if (this.options.dropped.has(month)) {
      this.findings.unchecked(`the records of ${month}: they were dropped on record; verify them from their archive`);
      return 'archived';
    }
    this.findings.shortfall(
      'missing month',
      { month },
      `The records of ${month} are gone, and no retention record says that they were dropped.`,
    );
    return 'missing';
  }

  /** How many batches went with the month before it was there again: records with old ids can come late. */
  private async checkRows(month: string): Promise<number> {
    const isDropped = this.options.dropped.has(month);
    let gone = 0;
    const bad: { readonly batch: StoredBatch; readonly fault: BatchFault }[] = [];
    await this.snapshot.batches(month, this.options.since, (batch) => {
      if (isDropped && batch.header !== undefined && batch.rows.length === 0) {
        gone += 1;
        return;
      }
      this.counts.records += rowsIn(batch);
      this.options.onProgress({ what: 'records', done: this.counts.records, total: this.options.total });
      const fault = faultOf(month, batch);
      if (fault !== undefined) bad.push({ batch: { ...batch, rows: EMPTY }, fault });
    });
    for (const { batch, fault } of bad) await this.tell(batch, fault);
    return gone;
  }

  // Looking into a batch costs a scan: the first few, which say what kind of change it was.
  private async tell({ header, writerId, seq }: StoredBatch, fault: BatchFault): Promise<void> {
    const { kind, place, message, mayBeNamed } = fault;
    if (!mayBeNamed || header === undefined || (this.looked += 1) > LOOKED_INTO)
      return this.findings.fault(kind, place, message);
    const rows = await this.snapshot.rowsOf(writerId, seq);
    if (kind === 'record added') {
      const later = rows.find(({ isLater, idx }) => isLater && (place.idx === undefined || idx === place.idx));
      return this.findings.fault(kind, { ...place, ...(later && { idx: later.idx, id: later.id }) }, message);
    }
    const found = findChange(header, rows);
    if (found === undefined) return this.findings.fault(kind, place, message);
    const { place: row, columns, certainty } = found;
    this.findings.fault(kind, { ...place, idx: row.idx, id: row.id }, message, {
      ...(columns && { columns }),
      certainty,
    });
  }

  private async checkPayloads(month: string): Promise<void> {
    const { bound, erased, bad } = await this.snapshot.payloads(month, this.options.since, BAD_PAYLOADS);
    this.counts.payloads += bound;
    this.counts.erased += erased;
    this.options.onProgress({ what: 'payloads', done: this.counts.payloads, total: 0 });
    for (const { id, fault, place } of bad) {
      const [kind, message] = PAYLOAD_FAULTS[fault];
      this.findings.fault(kind, { month, ...place, id }, message);
    }
  }
}

const EMPTY = Buffer.alloc(0);

const PAYLOAD_FAULTS: Readonly<
  Record<'changed' | 'missing' | 'unrecorded' | 'other organization', readonly [FaultKind, string]>
> = {
  changed: ['payload changed', 'The payload does not fit the commitment of its record: one of both was changed.'],
  missing: ['payload missing', 'The payload of this record is gone, and no erasure was recorded that covers it.'],
  unrecorded: ['payload added', 'A payload is stored that no record has.'],
  'other organization': ['payload of another organization', 'The payload names another organization than its record.'],
};
