import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { verifyLedger } from '../../libs/gatehouse/src/audit/verify/verification.js';
import type { VerifyReport } from '../../libs/gatehouse/src/audit/verify/verify.report.js';
import { run } from '../../libs/gatehouse/src/cli/program.js';
import type { AuditEvent } from '../../libs/gatehouse/src/contracts/audit.event.js';
import { PostgresEvidenceKeeping } from '../../libs/gatehouse/src/persistence/postgres/keeping/postgres.evidence.keeping.js';
import { PostgresLedgerReader } from '../../libs/gatehouse/src/persistence/postgres/ledger/reading/postgres.ledger.reader.js';
import { anExecution } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { executionEntry } from '../../libs/gatehouse/src/values/ledger/execution.entry.js';
import { openDatabase, type OpenedDatabase } from './opened.database.js';
import { KEY, sealing, type Sealing } from './sealing.js';

/** How a command ended. */
export interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** An execution of that instant. */
export const at = (instant: string, changes: Partial<AuditEvent> = {}): AuditEvent => ({
  ...anExecution({ id: newId(), threadId: 't' }),
  id: v7({ msecs: Date.parse(instant) }),
  startedAt: new Date(instant),
  finishedAt: new Date(instant),
  ...changes,
});

/** A database with sealed evidence that is kept, and a folder for archives. */
export class KeptEvidence {
  readonly keeping: PostgresEvidenceKeeping;

  private constructor(
    readonly test: OpenedDatabase,
    readonly seal: Sealing,
    readonly folder: string,
  ) {
    this.keeping = new PostgresEvidenceKeeping(test.database);
  }

  static async open(): Promise<KeptEvidence> {
    const test = await openDatabase();
    const seal = sealing(test);
    seal.sealer.onApplicationBootstrap();
    return new KeptEvidence(test, seal, await mkdtemp(join(tmpdir(), 'gatehouse-kept-')));
  }

  async close(): Promise<void> {
    await this.seal.sealer.onApplicationShutdown();
    await this.seal.writer.onApplicationShutdown();
    await this.test.close();
    await rm(this.folder, { recursive: true });
  }

  sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.test.source.query<Row[]>(text, values);
  }

  async keep(...events: AuditEvent[]): Promise<void> {
    await this.test.evidence.append(events.map(executionEntry));
    await this.seal.sealer.seal();
  }

  async verify(): Promise<VerifyReport> {
    await this.seal.writer.flush();
    await this.seal.sealer.seal();
    const reader = new PostgresLedgerReader({ connectionString: this.test.url }, 'gatehouse');
    return (await verifyLedger(reader, { keys: [KEY.verifierKey], allowUnpinned: true })).report;
  }

  /** The outcome, with the first faults and shortfalls. */
  async verdict(): Promise<string[]> {
    const { outcome, faults, shortfalls } = await this.verify();
    return [outcome, ...[...faults, ...shortfalls].map(({ kind }) => kind)];
  }

  /** What records of these kinds say, in order. */
  async told(kind: string): Promise<string[]> {
    await this.seal.writer.flush();
    const rows = await this.sql<{ what: string }>(
      `SELECT concat_ws(' ', status, reference, amount) AS what FROM gatehouse.audit_log WHERE kind = $1 ORDER BY id`,
      [kind],
    );
    return rows.map(({ what }) => what);
  }

  /** The command, against this database; `user` in place of its owner. */
  async gatehouse(
    argv: readonly string[],
    user?: { readonly name: string; readonly password: string },
  ): Promise<Answer> {
    const url = new URL(this.test.url);
    if (user !== undefined) [url.username, url.password] = [user.name, user.password];
    let [out, err] = ['', ''];
    const terminal = {
      env: { DATABASE_URL: url.href },
      isWatched: false,
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
      exitCode: 0,
    };
    return { code: await run([...argv], terminal), out, err };
  }

  /** `gatehouse verify`, sealed before, with these archives. */
  async verifyWith(...archives: string[]): Promise<Answer> {
    await this.seal.writer.flush();
    await this.seal.sealer.seal();
    const files = archives.flatMap((archive) => ['--archive', join(this.folder, archive)]);
    return this.gatehouse(['verify', '--key', KEY.verifierKey, '--allow-unpinned', ...files]);
  }

  retainIntoFolder(): Promise<Answer> {
    return this.gatehouse(['retain', '--keep', 'ai-act', '--archive', this.folder, '--by', 'ann']);
  }
}
