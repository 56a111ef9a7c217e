import type { Provider } from '@nestjs/common';
import { EvidenceLog } from '../../contracts/ports/evidence.log.js';
import { EvidenceKeeping } from '../../contracts/ports/evidence.keeping.js';
import { EvidenceStore } from '../../contracts/ports/evidence.store.js';
import { LedgerReader } from '../../contracts/ports/ledger.reader.js';
import { LogSource } from '../../contracts/ports/log.source.js';
import { NoticeStore } from '../../contracts/ports/notice.store.js';
import { RunReader } from '../../contracts/ports/run.reader.js';
import { RunStore } from '../../contracts/ports/run.store.js';
import { SealStore } from '../../contracts/ports/seal.store.js';
import { Wakeup } from '../../contracts/ports/wakeup.js';
import { InProcessWakeup } from '../in-process.wakeup.js';
import { MemoryEvidenceLog } from './memory.evidence.log.js';
import { MemoryEvidenceKeeping } from './memory.evidence.keeping.js';
import { MemoryEvidenceStore } from './memory.evidence.store.js';
import { MemoryNoticeStore } from './memory.notice.store.js';
import { MemoryRunReader } from './memory.run.reader.js';
import { MemoryRunStore } from './memory.run.store.js';
import { MemoryLedgerReader } from './memory.ledger.reader.js';
import { MemoryLogSource } from './memory.log.source.js';
import { MemorySealStore } from './memory.seal.store.js';
import { MemoryState } from './memory.state.js';

/** Binds the stores in this process. Needs a `Clock` in the module that holds them. */
export function memoryPersistence(): {
  readonly providers: Provider[];
} {
  return {
    providers: [
      MemoryState,
      { provide: RunStore, useClass: MemoryRunStore },
      { provide: RunReader, useClass: MemoryRunReader },
      { provide: EvidenceLog, useClass: MemoryEvidenceLog },
      { provide: EvidenceStore, useClass: MemoryEvidenceStore },
      { provide: NoticeStore, useClass: MemoryNoticeStore },
      { provide: EvidenceKeeping, useClass: MemoryEvidenceKeeping },
      { provide: LedgerReader, useClass: MemoryLedgerReader },
      { provide: LogSource, useClass: MemoryLogSource },
      { provide: SealStore, useClass: MemorySealStore },
      { provide: Wakeup, useClass: InProcessWakeup },
    ],
  };
}
