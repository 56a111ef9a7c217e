import type { Type } from '@nestjs/common';
import type { ClientContent } from './client.content.js';
import type { Duration } from './duration.js';
import type { RunLimits } from './limits.js';
import type { Anchor } from './ports/anchor.js';
import type { RedactionOptions } from './redaction.options.js';
import type { AuditLogger } from './roles.js';

/** Where runs and evidence live. */
export interface PersistenceOptions {
  /** The TypeORM data source's name. Default: the default one. */
  readonly dataSource?: string;
  /** Default `'gatehouse'`. */
  readonly schema?: string;
  /** `run` at boot, only `check`, or `off`. Default `'run'`. */
  readonly migrations?: 'run' | 'check' | 'off';
}

/** How the evidence is sealed. Only with `persistence`. */
export interface SealOptions {
  /** The log's name in its checkpoints and keys, a URL without its scheme such as `example.com/audit`. Default `'gatehouse'`. */
  readonly origin?: string;
  /**
   * The Ed25519 key that signs checkpoints, as PKCS#8 PEM or as the base64 of its 32 bytes; never from the database. Of several, all sign: put a
   * new one in front, and take the old one away once every verifier knows the new one. Default: the environment's `GATEHOUSE_SEAL_KEY`; without
   * any, nor a `Signer`, nothing is signed.
   */
  readonly key?: string | readonly string[];
  /** The longest that what is committed waits for its checkpoint. Default 1 s. */
  readonly interval?: Duration;
  /** How long nothing may happen before that is sealed, too. Default 60 s. */
  readonly heartbeat?: Duration;
  /** Where checkpoints are copied to, outside the database: `new FileAnchor(path)`, `new HttpsAnchor(url)`, your own. Default: nowhere. */
  readonly anchors?: readonly Anchor[];
}

/** What is recorded about executions, and how hard we try. */
export interface AuditOptions {
  /** Default: Postgres with `persistence`, else none. */
  readonly loggers?: readonly Type<AuditLogger>[];
  /**
   * `'required'`: before a destructive tool starts, that it is about to is committed; its outcome is, before its result is used. Where it cannot be,
   * the call does not start, or its result is withheld, and the run fails. Needs `persistence`. Default `'best-effort'`.
   */
  readonly durability?: 'best-effort' | 'required';
  /** How long a record that must be there may take. Default 5 s. */
  readonly deadline?: Duration;
  /** How long a logger is awaited. Default 1 s. */
  readonly sinkTimeout?: Duration;
  /** What may wait for the database in this process; more is dropped, counted, and told of in a `gap` record. */
  readonly queue?: {
    /** Default 10,000. */
    readonly records?: number;
    /** About what they may hold in memory. Default 64 MiB. */
    readonly bytes?: number;
  };
  /** `false`: batches are not signed. */
  readonly seal?: false | SealOptions;
  /** Fill gaps of records. */
  readonly defaults?: { readonly ipAddress?: string; readonly organizationId?: string };
}

/** Whether destructive tools wait for a person. */
export interface GuardOptions {
  readonly enabled: boolean;
  /** Tools that are never gated; wins over everything. */
  readonly exempt?: readonly string[];
  /** Tools that are gated whatever they say of themselves. */
  readonly requireApproval?: readonly string[];
}

/** A class of errors, abstract or not. */
export type ErrorClass = abstract new (...args: never[]) => Error;

/** What a failing tool costs. */
export interface FailureOptions {
  /** False: a failing tool ends the run. Default true. */
  readonly enabled?: boolean;
  /** True: the model reads `Class: message`. Default false. */
  readonly includeDetail?: boolean;
  /** REPLACES the default set of denials that end the run. */
  readonly reraise?: readonly ErrorClass[];
}

/** Defaults for every approval. */
export interface ApprovalOptions {
  /** Default 15 minutes. */
  readonly expiresIn?: Duration;
  /** Default 15 minutes. */
  readonly executeWithin?: Duration;
  /** The last decision resumes the run. Default true. */
  readonly autoResume?: boolean;
  /**
   * Signs what is stored of approvals, so that one written into the database by hand does not run. At least 32 characters; never stored. Of
   * several, the first signs and all are known: put a new one in front, and take the old one away once nothing waits any more. Default: none.
   */
  readonly secret?: string | readonly string[];
}

/** How runs are watched. */
export interface StreamingOptions {
  /** What a leaving client means. Default `'cancel'`. */
  readonly onDisconnect?: 'cancel' | 'continue';
  /** Between heartbeat comments. Default 15 s. */
  readonly heartbeat?: Duration;
  /** The longest a stream stays open. Default 1 h. */
  readonly maxAge?: Duration;
  /** Kinds of client content, beside messages and answers, that a run is given: AG-UI's `state`, `context`. Default: none. */
  readonly accept?: readonly ClientContent[];
  /**
   * Media types of files that are taken from a user's message, such as `'image/png'` or `'image/*'`. Only what is sent inline (a `data:` URL, base64) is
   * taken; nothing is ever fetched. Default: none, files are dropped and counted.
   */
  readonly files?: readonly string[];
}

/** How runs are owned. */
export interface RunsOptions {
  /** Default 60 s; renewed at a quarter. */
  readonly lease?: Duration;
  /** What a cancelled run is given to settle. Default 5 s. */
  readonly grace?: Duration;
  /** What a shutdown is given. Default 10 s. */
  readonly drain?: Duration;
  /** How long the stored events of an ended run can still be read; the evidence stays. Default 24 h. */
  readonly keepEvents?: Duration;
  /**
   * Where runs that this process is asked to start are executed. `here`, the default; or `dispatched`: they are stored as `queued` and handed to the
   * `RunDispatcher`, such as the one of `nest-gatehouse/bullmq`. Runs that only this process can execute (an inline executor, roles or an output of
   * their own) and child runs are executed here anyway.
   */
  readonly execute?: 'here' | 'dispatched';
  /** How long a run may be queued before it is closed as interrupted. Default 15 minutes. */
  readonly startWithin?: Duration;
}

/** Options of `GatehouseModule.forRoot`. All optional. */
export interface GatehouseModuleOptions {
  /** Default true. Beside `useFactory` in `forRootAsync`. */
  readonly isGlobal?: boolean;
  /** Omitted: everything lives in memory, with a warning. Beside `useFactory` in `forRootAsync`. */
  readonly persistence?: PersistenceOptions;
  /** `false` turns execution records off. */
  readonly audit?: false | AuditOptions;
  readonly guard?: GuardOptions;
  readonly failure?: FailureOptions;
  readonly approvals?: ApprovalOptions;
  readonly limits?: Partial<RunLimits>;
  readonly redaction?: RedactionOptions;
  readonly streaming?: StreamingOptions;
  readonly runs?: RunsOptions;
}
