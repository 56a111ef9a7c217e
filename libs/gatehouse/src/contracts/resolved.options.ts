import type { ClientContent } from './client.content.js';
import type { RunLimits } from './limits.js';
import type { Anchor } from './ports/anchor.js';
import type { AuditOptions, FailureOptions, GuardOptions, PersistenceOptions } from './options.js';
import type { RedactionOptions } from './redaction.options.js';

/** The options with every default filled in, once, at boot; durations in milliseconds. The wiring makes it, every room reads it. */
export abstract class ResolvedOptions {
  abstract readonly persistence:
    (Required<Pick<PersistenceOptions, 'schema' | 'migrations'>> & { readonly dataSource?: string }) | undefined;
  abstract readonly audit: {
    readonly enabled: boolean;
    readonly loggers: AuditOptions['loggers'];
    readonly durability: 'best-effort' | 'required';
    readonly deadline: number;
    readonly sinkTimeout: number;
    readonly queue: { readonly records: number; readonly bytes: number };
    /** Undefined: nothing is signed. */
    readonly seal:
      | {
          readonly origin: string;
          readonly keys: readonly string[];
          readonly interval: number;
          readonly heartbeat: number;
          readonly anchors: readonly Anchor[];
        }
      | undefined;
    readonly defaults: { readonly ipAddress?: string; readonly organizationId?: string };
  };
  /** Undefined: nobody wrote true or false. */
  abstract readonly guard: Required<GuardOptions> | undefined;
  abstract readonly failure: {
    readonly enabled: boolean;
    readonly includeDetail: boolean;
    readonly reraise: FailureOptions['reraise'];
  };
  abstract readonly approvals: {
    readonly expiresIn: number;
    readonly executeWithin: number;
    readonly autoResume: boolean;
    /** The first signs, all are known. */
    readonly secrets: readonly string[];
  };
  abstract readonly limits: RunLimits & { readonly decisionTimeout: number; readonly duration?: number };
  abstract readonly redaction: RedactionOptions;
  abstract readonly streaming: {
    readonly onDisconnect: 'cancel' | 'continue';
    readonly heartbeat: number;
    readonly maxAge: number;
    readonly accept: readonly ClientContent[];
    /** Media types, or all of a kind (`image/*`), in lower case. */
    readonly files: readonly string[];
  };
  abstract readonly runs: {
    readonly lease: number;
    readonly grace: number;
    readonly drain: number;
    readonly keepEvents: number;
    readonly execute: 'here' | 'dispatched';
    readonly startWithin: number;
  };
}
