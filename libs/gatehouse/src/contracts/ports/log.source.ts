import type { LedgerKind, StoredEntry } from '../ledger.js';

/** Which sealed records; without any filter all of them. */
export interface LogQuery {
  /** `null`: the records of none. */
  readonly organizationId?: string | null;
  readonly principalId?: string;
  readonly runId?: string;
  readonly threadId?: string;
  readonly toolName?: string;
  readonly kinds?: readonly LedgerKind[];
  /** From this instant, inclusive: when it happened. */
  readonly from?: Date;
  /** Until this instant, exclusive. */
  readonly until?: Date;
  /** The records that are kept in one month, `202611`. */
  readonly month?: string;
}

/** A sealed record with all that proves it. */
export interface LogRecord extends StoredEntry {
  readonly writerId: string;
  readonly seq: number;
  readonly idx: number;
  /** Hex; what the record keeps of its payload. */
  readonly payloadCommitment: string | null;
  /** Hex; with it, the payload can be held against the commitment. */
  readonly salt: string | null;
}

/** Reads the sealed log record by record, oldest first, as it was at one moment, whatever is written meanwhile. */
export abstract class LogSource {
  /** Ending the loop early lets go of the connection. @throws StorageUnavailableError */
  abstract records(query: LogQuery): AsyncIterable<LogRecord>;
}
