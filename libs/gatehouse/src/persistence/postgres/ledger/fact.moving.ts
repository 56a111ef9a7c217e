import type { LedgerEntry } from '../../../contracts/ledger.js';
import type { MovedFacts } from '../../../contracts/ports/evidence.log.js';
import { byMonth, instantOf, prepareEntry } from '../../../values/ledger/batch.preparation.js';
import { refusedEntry, TAKEN } from '../../../values/ledger/gap.entry.js';
import { UnstorableValue } from '../../../values/ledger/leaf.values.js';
import { sortOut } from './known.records.js';
import { isBatchTaken, isMissingMonth, isRecordThere, isRefusal, refusalOf } from './ledger.errors.js';
import type { LedgerLane } from './ledger.lane.js';
import { recordColumns, recordOf, storedEntry, type EntryRow } from './ledger.rows.js';
import type { LedgerSession } from './ledger.session.js';

interface Fact {
  readonly ordinal: string;
  readonly entry: LedgerEntry;
}

const NONE: MovedFacts = { moved: 0, refused: 0 };

/**
 * Moves facts from the outbox into the log, in transactions that do both: each fact is in one of the two places at any time, never in both. One
 * that the log cannot take holds up no other: it leaves the outbox together with a `gap` record that has what it said.
 */
export class FactMoving {
  constructor(
    private readonly lane: LedgerLane,
    private readonly session: LedgerSession,
    private readonly now: () => Date,
  ) {}

  /** The oldest facts, at most `most`. Those that another process is moving are left to it. */
  async move(most: number): Promise<MovedFacts> {
    const rows = await this.session.rows<{ ordinal: string }>(
      `SELECT ordinal FROM ${this.lane.tables.outbox} ORDER BY ordinal LIMIT $1`,
      [most],
    );
    if (rows.length === 0) return NONE;
    await this.lane.open(this.session);
    return this.moveThese(rows.map(({ ordinal }) => ordinal));
  }

  private async moveThese(ordinals: readonly string[]): Promise<MovedFacts> {
    let [careful, monthsMade] = [false, false];
    for (;;) {
      try {
        return await this.sealed(ordinals, careful);
      } catch (error) {
        if (isBatchTaken(error)) await this.lane.numbers.settle(this.session);
        else if (isRecordThere(error) && !careful) careful = true;
        else if (isMissingMonth(error) && !monthsMade) {
          monthsMade = true;
          await this.makeMonths(ordinals);
        } else if (isRefusal(error) || error instanceof UnstorableValue) return this.halve(ordinals, error);
        else throw error;
      }
    }
  }

  private async sealed(ordinals: readonly string[], careful: boolean): Promise<MovedFacts> {
    const { facts, gaps, batches } = await this.session.transaction(async () => {
      const locked = await this.locked(ordinals);
      const prepared = locked.map(({ entry }) => prepareEntry(entry));
      const { fresh, conflicts } = careful
        ? await sortOut(this.session, this.lane.tables, prepared)
        : { fresh: prepared, conflicts: [] };
      const instead = conflicts.map((entry) => refusedEntry(entry, 'conflict', TAKEN, this.now()));
      const months = byMonth([...fresh, ...instead.map(prepareEntry)]);
      for (const [ahead, month] of months.entries()) await this.lane.insert(this.session, month, ahead);
      await this.remove(locked);
      return { facts: locked.length, gaps: instead.length, batches: months.length };
    });
    this.lane.numbers.spend(batches);
    return { moved: facts, refused: gaps };
  }

  private async halve(ordinals: readonly string[], error: unknown): Promise<MovedFacts> {
    const [only] = ordinals;
    if (ordinals.length === 1 && only !== undefined) return this.setAside(only, error);
    const middle = ordinals.length >> 1;
    const first = await this.moveThese(ordinals.slice(0, middle));
    const second = await this.moveThese(ordinals.slice(middle));
    return { moved: first.moved + second.moved, refused: first.refused + second.refused };
  }

  private async setAside(ordinal: string, error: unknown): Promise<MovedFacts> {
    const reason = error instanceof UnstorableValue ? error.message : refusalOf(error);
    let bare = false;
    for (;;) {
      try {
        return await this.replaced(ordinal, reason, bare);
      } catch (failure) {
        if (isBatchTaken(failure)) await this.lane.numbers.settle(this.session);
        else if (!isRefusal(failure) || bare) throw failure;
        else bare = true;
      }
    }
  }

  private async replaced(ordinal: string, reason: string, bare: boolean): Promise<MovedFacts> {
    const moved = await this.session.transaction(async () => {
      const facts = await this.locked([ordinal]);
      const gaps = facts.map(({ entry }) => prepareEntry(refusedEntry(entry, 'refused', reason, this.now(), bare)));
      if (gaps.length > 0) await this.lane.insert(this.session, gaps);
      await this.remove(facts);
      return facts.length;
    });
    this.lane.numbers.spend(moved);
    return { moved, refused: moved };
  }

  private async locked(ordinals: readonly string[]): Promise<readonly Fact[]> {
    const rows = await this.session.rows<EntryRow & { readonly ordinal: string }>(
      `SELECT ordinal, ${recordColumns('l')}, l.payload AS body, false AS bound, false AS sealed FROM ${this.lane.tables.outbox} l
        WHERE ordinal = ANY($1::bigint[]) ORDER BY ordinal FOR UPDATE SKIP LOCKED`,
      [ordinals],
    );
    return rows.map((row) => ({ ordinal: row.ordinal, entry: factOf(row) }));
  }

  private async remove(facts: readonly Fact[]): Promise<void> {
    if (facts.length === 0) return;
    await this.session.rows(`DELETE FROM ${this.lane.tables.outbox} WHERE ordinal = ANY($1::bigint[])`, [
      facts.map(({ ordinal }) => ordinal),
    ]);
  }

  // A fact whose id has no month at all is singled out afterwards.
  private async makeMonths(ordinals: readonly string[]): Promise<void> {
    const rows = await this.session.rows<{ id: string }>(
      `SELECT id FROM ${this.lane.tables.outbox} WHERE ordinal = ANY($1::bigint[])`,
      [ordinals],
    );
    const months = new Map(rows.map(({ id }) => [instantOf(id).toISOString().slice(0, 7), id]));
    for (const id of months.values()) {
      await this.lane.ensureMonth(this.session, id).catch((error: unknown) => {
        if (!isRefusal(error)) throw error;
      });
    }
  }
}

// What is no JSON is not ours, and holds up nothing: it is kept as text.
function factOf(row: EntryRow): LedgerEntry {
  try {
    return storedEntry(row);
  } catch {
    return { record: recordOf(row), payload: row.body === null ? null : { detail: row.body } };
  }
}
