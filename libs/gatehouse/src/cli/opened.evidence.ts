import { DataSource } from 'typeorm';
import { EvidenceExport } from '../audit/export/evidence.export.js';
import { EvidenceWriter } from '../audit/evidence.writer.js';
import { Erasure } from '../audit/keeping/erasure.js';
import { LegalHolds } from '../audit/keeping/legal.holds.js';
import { Retention } from '../audit/keeping/retention.js';
import { Database } from '../persistence/postgres/database.js';
import { PostgresEvidenceKeeping } from '../persistence/postgres/keeping/postgres.evidence.keeping.js';
import { PostgresLogSource } from '../persistence/postgres/ledger/postgres.log.source.js';
import { PostgresEvidenceLog } from '../persistence/postgres/postgres.evidence.log.js';
import { resolveOptions } from '../wiring/resolve.options.js';
import { urlOf, type DatabaseOptions } from './connection.js';
import type { Terminal } from './terminal.js';

/** What a command that keeps or hands out evidence needs: the parts of an application that do it, and nothing that would run agents. */
export interface EvidenceSession {
  readonly source: PostgresLogSource;
  readonly exporting: EvidenceExport;
  readonly retention: Retention;
  readonly erasure: Erasure;
  readonly holds: LegalHolds;
}

export async function withOpenEvidence<T>(
  options: DatabaseOptions,
  terminal: Terminal,
  work: (session: EvidenceSession) => Promise<T>,
): Promise<T> {
  const dataSource = new DataSource({
    type: 'postgres',
    url: urlOf(options, terminal),
    applicationName: 'gatehouse',
    poolSize: 2,
  });
  await dataSource.initialize();
  try {
    const database = new Database(dataSource, options.schema);
    const writer = new EvidenceWriter(
      new PostgresEvidenceLog(database),
      resolveOptions({}, { schema: options.schema }),
    );
    const keeping = new PostgresEvidenceKeeping(database);
    const source = new PostgresLogSource(database);
    try {
      return await work({
        source,
        exporting: new EvidenceExport(source, writer),
        retention: new Retention(keeping, writer),
        erasure: new Erasure(keeping, writer),
        holds: new LegalHolds(keeping, writer),
      });
    } finally {
      await writer.drained();
      await writer.onApplicationShutdown();
    }
  } finally {
    await dataSource.destroy();
  }
}
