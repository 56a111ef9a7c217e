import type { LedgerSnapshot, StoredBatch } from '../../contracts/ports/ledger.reader.js';
import { monthInstants, monthStart } from '../../values/ledger/log.month.js';
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
  readonly total: number;
  readonly onProgress: (progress: VerifyProgress) => void;
}

/** Checks the records of the months that are asked for, one month after the other. */
export class MonthCheck {
  readonly counts: MonthCounts = { records: 0, payloads: 0, erased: 0 };
  private looked = 0;
  /** The newest month that is gone on record. */
  private newestDropped = '';

  constructor(
    private readonly snapshot: LedgerSnapshot,
    private readonly findings: Findings,
    private readonly options: MonthCheckOptions,
  ) {}

  async checkAll(): Promise<readonly VerifiedMonth[]> {
    const said = new Map((await this.snapshot.batchMonths()).map(({ month, records }) => [month, records]));
    const there = new Set(await this.snapshot.months());
    this.newestDropped =
      [...this.options.dropped]
        .filter((month) => !there.has(month))
        .sort()
        .at(-1) ?? '';
    const checked: VerifiedMonth[] = [];
    for (const month of [...new Set([...said.keys(), ...there])].sort()) {
      if (monthStart(month) === undefined) {
        this.findings.fault('header changed', { month }, 'Batches or records have ids of a month that cannot be.');
        continue;
      }
      const state = await this.check(month, there.has(month));
      checked.push(Object.freeze({ month, state, records: said.get(month) ?? 0 }));
    }
    return checked.filter(({ records }) => records > 0);
  }

  private async check(month: string, isThere: boolean): Promise<VerifiedMonth['state']> {
    const { from, until } = monthInstants(month);
    const { options } = this;
    if (options.from !== undefined && until <= options.from.getTime()) return 'not asked for';
    if (options.until !== undefined && from >= options.until.getTime()) return 'not asked for';
    if (!isThere) return this.absent(month);
    await this.checkRows(month);
    if (options.withPayloads) await this.checkPayloads(month);
    return 'checked';
  }

  private absent(month: string): 'archived' | 'missing' {
    if (this.options.dropped.has(month)) {
      this.findings.unchecked(`the records of ${month}: they were dropped on record; verify them from their archive`);
      return 'archived';
    }
    // Months go oldest first: what told of this one lies in a month that went, too.
    if (month < this.newestDropped) {
      this.findings.unchecked(
        `the records of ${month}, nor whether they were dropped on record: later months were dropped since`,
      );
      return 'archived';
    }
    this.findings.shortfall(
      'missing month',
      { month },
      `The records of ${month} are gone, and no retention record says that they were dropped.`,
    );
    return 'missing';
  }

  private async checkRows(month: string): Promise<void> {
    const bad: { readonly batch: StoredBatch; readonly fault: BatchFault }[] = [];
    await this.snapshot.batches(month, this.options.since, (batch) => {
      this.counts.records += rowsIn(batch);
      this.options.onProgress({ what: 'records', done: this.counts.records, total: this.options.total });
      const fault = faultOf(month, batch);
      if (fault !== undefined) bad.push({ batch: { ...batch, rows: EMPTY }, fault });
    });
    for (const { batch, fault } of bad) await this.tell(batch, fault);
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
