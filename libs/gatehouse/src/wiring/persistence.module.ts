import { Module, type DynamicModule } from '@nestjs/common';
import type { PersistenceOptions } from '../contracts/options.js';
import { EvidenceLog } from '../contracts/ports/evidence.log.js';
import { EvidenceKeeping } from '../contracts/ports/evidence.keeping.js';
import { EvidenceStore } from '../contracts/ports/evidence.store.js';
import { LedgerReader } from '../contracts/ports/ledger.reader.js';
import { LogSource } from '../contracts/ports/log.source.js';
import { NoticeStore } from '../contracts/ports/notice.store.js';
import { RunReader } from '../contracts/ports/run.reader.js';
import { RunStore } from '../contracts/ports/run.store.js';
import { SealStore } from '../contracts/ports/seal.store.js';
import { Wakeup } from '../contracts/ports/wakeup.js';
import { memoryPersistence } from '../persistence/memory/memory.persistence.js';
import { ClockModule } from './clock.module.js';

/** Where runs and evidence live. */
@Module({})
export class PersistenceModule {}

const PORTS = [
  RunStore,
  RunReader,
  EvidenceKeeping,
  EvidenceLog,
  EvidenceStore,
  LedgerReader,
  LogSource,
  NoticeStore,
  SealStore,
  Wakeup,
];

/** TypeORM is an optional peer: it is loaded only where persistence is asked for. */
export const persistenceModule = async (options: PersistenceOptions | undefined): Promise<DynamicModule> => {
  if (options === undefined) {
    const { providers } = memoryPersistence();
    return { module: PersistenceModule, imports: [ClockModule], providers, exports: PORTS };
  }
  const { postgresPersistence } = await import('../persistence/postgres/postgres.persistence.js');
  const { imports, providers } = postgresPersistence(options);
  return { module: PersistenceModule, imports, providers, exports: PORTS };
};
