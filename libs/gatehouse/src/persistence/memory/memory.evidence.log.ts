import { Injectable } from '@nestjs/common';
import type { LedgerEntry } from '../../contracts/ledger.js';
import { EvidenceLog, type Appended, type MovedFacts, type WaitingFacts } from '../../contracts/ports/evidence.log.js';
import { appendEntry } from './memory.ledger.js';
import { MemoryState } from './memory.state.js';

/** Evidence in this process: nothing is sealed, nothing waits, and no other process writes. */
@Injectable()
export class MemoryEvidenceLog extends EvidenceLog {
  override readonly lanes = 1;

  constructor(private readonly state: MemoryState) {
    super();
  }

  override open(): void {
    // Nobody else could ask who writes.
  }

  override async append(entries: readonly LedgerEntry[]): Promise<Appended> {
    await this.state.transaction(() => {
      for (const entry of entries) appendEntry(this.state, entry);
    });
    return { refused: [], conflicts: [] };
  }

  override moveFacts(): Promise<MovedFacts> {
    return Promise.resolve({ moved: 0, refused: 0 });
  }

  override onFacts(): () => void {
    return () => undefined;
  }

  override waitingFacts(): Promise<WaitingFacts> {
    return Promise.resolve({ waiting: 0, oldestMs: 0 });
  }

  override beat(): Promise<void> {
    return Promise.resolve();
  }

  override markLost(): Promise<readonly string[]> {
    return Promise.resolve([]);
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}
