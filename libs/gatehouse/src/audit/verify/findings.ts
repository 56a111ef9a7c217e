import type { Fault, FaultKind, Shortfall, ShortfallKind, EvidencePlace } from './verify.report.js';

const MOST = 100;

/** Collects what is found: the first of each sort in full, the rest by number. */
export class Findings {
  readonly faults: Fault[] = [];
  readonly shortfalls: Shortfall[] = [];
  faultCount = 0;
  shortfallCount = 0;
  /** Checkpoints at the end of the log that no trusted key signed. */
  untrusted = false;
  private readonly notes = new Set<string>();

  fault(kind: FaultKind, place: EvidencePlace, message: string, more: Pick<Fault, 'columns' | 'certainty'> = {}): void {
    this.faultCount += 1;
    if (this.faults.length < MOST) this.faults.push(Object.freeze({ kind, place, ...more, message }));
  }

  shortfall(kind: ShortfallKind, place: EvidencePlace, message: string, amount?: number): void {
    this.shortfallCount += 1;
    if (this.shortfalls.length < MOST)
      this.shortfalls.push(Object.freeze({ kind, place, ...(amount !== undefined && { amount }), message }));
  }

  /** Says what was not looked at. */
  unchecked(what: string): void {
    this.notes.add(what);
  }

  get uncheckedNotes(): readonly string[] {
    return [...this.notes];
  }
}
