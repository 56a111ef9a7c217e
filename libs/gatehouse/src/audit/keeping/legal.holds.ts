import { Injectable } from '@nestjs/common';
import type { LegalHold, NewLegalHold } from '../../contracts/legal.hold.js';
import { EvidenceKeeping } from '../../contracts/ports/evidence.keeping.js';
import { InvalidQueryError } from '../../contracts/errors/invalid-query.error.js';
import { isUuid, newId } from '../../values/ids.js';
import { EvidenceWriter } from '../evidence.writer.js';
import { DURABLY_WITHIN } from './durably.within.js';

/** Legal holds: what must not go. Each placing and releasing is evidence. */
@Injectable()
export class LegalHolds {
  constructor(
    private readonly keeping: EvidenceKeeping,
    private readonly writer: EvidenceWriter,
  ) {}

  /** @throws InvalidQueryError for a hold without a reason or a person, with a run id that is none, or of a time that ends before it begins */
  async place(hold: NewLegalHold): Promise<LegalHold> {
    if (hold.reason.trim() === '') throw new InvalidQueryError('reason', 'must say why');
    if (hold.by.trim() === '') throw new InvalidQueryError('by', 'must say who');
    if (hold.runId !== undefined && !isUuid(hold.runId)) throw new InvalidQueryError('runId', 'must be a uuid');
    if (hold.from !== undefined && hold.until !== undefined && !(hold.from < hold.until)) {
      throw new InvalidQueryError('until', 'must be later than from: such a hold would hold nothing');
    }
    const placed = await this.keeping.placeHold(hold);
    await this.tell('hold-placed', placed, hold.by);
    return placed;
  }

  /** Nothing for a hold that is unknown, or was released before. */
  async release(id: string, by: string): Promise<LegalHold | undefined> {
    const standing = (await this.keeping.holds()).find((hold) => hold.id === id.toLowerCase());
    if (standing === undefined || standing.releasedAt !== undefined) return undefined;
    // Recorded first: a hold that went without evidence would be worse than evidence of one that still stands.
    await this.tell('hold-released', standing, by);
    return this.keeping.releaseHold(id, by);
  }

  /** All of them, released ones too, oldest first. */
  list(): Promise<readonly LegalHold[]> {
    return this.keeping.holds();
  }

  private tell(status: string, hold: LegalHold, by: string): Promise<void> {
    const { id, organizationId, runId, reason } = hold;
    return this.writer.submitDurably(
      {
        record: {
          id: newId(),
          kind: 'retention',
          at: new Date(),
          status,
          organizationId,
          runId,
          principalId: by,
          reference: id,
        },
        payload: { reason },
      },
      DURABLY_WITHIN,
    );
  }
}
