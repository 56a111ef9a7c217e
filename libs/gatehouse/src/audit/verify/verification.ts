import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import type { LedgerReader, LedgerSnapshot, ProofReader } from '../../contracts/ports/ledger.reader.js';
import { instantOf } from '../../values/ledger/batch.preparation.js';
import type { TrustedLog } from '../../values/transparency/checkpoint.js';
import { emptyRoot } from '../../values/transparency/merkle.tree.js';
import { parseVerifierKey } from '../../values/transparency/verifier.key.js';
import { readArchives } from './archived.month.js';
import { Findings } from './findings.js';
import { pinsOf } from './log.anchors.js';
import { LogCheck, type CheckedLog } from './log.check.js';
import { MonthCheck } from './month.check.js';
import { checkNotices, PATIENCE_MS } from './notices.check.js';
import { checkShape } from './shape.check.js';
import { checkUnmoved } from './unmoved.check.js';
import type { VerifiedState } from './verified.state.js';
import type { VerifyOptions } from './verify.options.js';
import type { VerifiedMonth, VerifyLevel, VerifyOutcome, VerifyReport } from './verify.report.js';
import { checkWriters } from './writers.check.js';

const LEVELS: readonly VerifyLevel[] = ['checkpoints', 'batches', 'rows', 'payloads'];

/** What a verification gives. */
export interface Verification {
  readonly report: VerifyReport;
  /** For `since`, the next time; nothing where not everything that was looked at holds. */
  readonly state: VerifiedState | undefined;
}

/**
 * Verifies the stored evidence, from the signatures down to the payloads, in one snapshot.
 *
 * @throws ConfigurationError without a key to believe, MalformedEvidenceError for one that is none, StorageUnavailableError
 */
export function verifyLedger(reader: LedgerReader, options: VerifyOptions): Promise<Verification> {
  const log = trustedLog(options);
  return reader.snapshot((snapshot) => verifySnapshot(snapshot, log, options));
}

async function verifySnapshot(
  snapshot: LedgerSnapshot & ProofReader,
  log: TrustedLog,
  options: VerifyOptions,
): Promise<Verification> {
  const { level = 'payloads', since, from, until, onProgress = () => undefined } = options;
  const depth = LEVELS.indexOf(level);
  const findings = new Findings();
  if (!(await checkShape(snapshot, findings)))
    return { report: blindReport(snapshot.now, log, level, findings), state: undefined };
  const { batches, records } = await snapshot.size();
  const pins = pinsOf(options.anchors ?? [], log, findings);
  const checked = await new LogCheck(snapshot, findings, {
    log,
    pins,
    since,
    withHeaders: depth > 0,
    withRows: depth > 1,
    total: batches,
    onProgress,
  }).check();
  const unsealedBatches = depth > 0 ? await checkWriters(snapshot, findings, checked.lastOfWriters) : 0;
  if (depth > 0) await checkUnmoved(snapshot, findings);
  const dropped = await checkNotices(snapshot, findings, { from, until }, since?.size ?? 0);
  const archives = await readArchives(options.archives ?? []);
  if (depth < 2 && archives.size > 0)
    throw new ConfigurationError("Archives are looked at on level 'rows' and deeper.");
  const months = new MonthCheck(snapshot, findings, {
    archives,
    from,
    until,
    withPayloads: depth > 2,
    since: since?.size ?? 0,
    dropped,
    total: records,
    onProgress,
  });
  const found = depth > 1 ? await months.checkAll() : [];
  tellUnchecked(findings, options, level, found);
  const tailPinned = isPinned(snapshot.now, checked);
  if (!tailPinned && options.allowUnpinned !== true) unpinned(findings, checked);
  const report = Object.freeze<VerifyReport>({
    format: 'gatehouse-verify-report@v1',
    outcome: outcomeOf(findings),
    level,
    at: snapshot.now.toISOString(),
    tailPinned,
    log: Object.freeze({
      origin: log.origin,
      size: checked.size,
      root: checked.root.toString('base64'),
      pinnedSize: checked.pinnedSize,
      newest: checked.newestId === undefined ? null : instantOf(checked.newestId).toISOString(),
      since: since?.size ?? 0,
    }),
    counts: Object.freeze({
      checkpoints: checked.checkpoints,
      batches,
      unsealedBatches,
      ...months.counts,
      faults: findings.faultCount,
      shortfalls: findings.shortfallCount,
    }),
    months: Object.freeze(found),
    faults: Object.freeze(findings.faults),
    shortfalls: Object.freeze(findings.shortfalls),
    unchecked: Object.freeze(findings.uncheckedNotes),
  });
  const isWhole = depth === LEVELS.length - 1 && from === undefined && until === undefined;
  return { report, state: isWhole && findings.faultCount === 0 && !findings.untrusted ? checked.state : undefined };
}

function trustedLog({ keys = [], origin }: VerifyOptions): TrustedLog {
  const trusted = keys.map(parseVerifierKey);
  const [first] = trusted;
  if (first !== undefined) return { origin: origin ?? first.name, keys: trusted };
  throw new ConfigurationError(
    "Without a key there is nothing to verify against: pass the verifier key that 'gatehouse keygen' printed.",
  );
}

// What is signed later than the pin may be as young as an anchor needs to hear of it. What is of the future is not young.
function isPinned(now: Date, { size, pinnedSize, unpinnedSince }: CheckedLog): boolean {
  if (size === 0 || pinnedSize === 0) return false;
  return unpinnedSince.every((instant) => Math.abs(now.getTime() - instant.getTime()) < PATIENCE_MS);
}

/** Of tables that cannot be believed: nothing is read through them. */
function blindReport(now: Date, { origin }: TrustedLog, level: VerifyLevel, findings: Findings): VerifyReport {
  findings.unchecked('anything that is stored: what the tables are says that what is read from them means nothing');
  const none = { checkpoints: 0, batches: 0, unsealedBatches: 0, records: 0, payloads: 0, erased: 0 };
  return Object.freeze<VerifyReport>({
    format: 'gatehouse-verify-report@v1',
    outcome: outcomeOf(findings),
    level,
    at: now.toISOString(),
    tailPinned: false,
    log: Object.freeze({
      origin,
      size: 0,
      root: emptyRoot().toString('base64'),
      pinnedSize: 0,
      newest: null,
      since: 0,
    }),
    counts: Object.freeze({ ...none, faults: findings.faultCount, shortfalls: findings.shortfallCount }),
    months: Object.freeze([]),
    faults: Object.freeze(findings.faults),
    shortfalls: Object.freeze(findings.shortfalls),
    unchecked: Object.freeze(findings.uncheckedNotes),
  });
}

function unpinned(findings: Findings, { size, pinnedSize }: CheckedLog): void {
  const message =
    pinnedSize === 0
      ? 'No copy of a checkpoint from outside the database was given: that the newest records were cut off could not be seen.'
      : `The copies from outside the database end at ${pinnedSize} of ${size} batches: what came later could be cut off unseen.`;
  findings.shortfall('unpinned tail', { logIndex: pinnedSize }, message, size - pinnedSize);
}

function outcomeOf({ faultCount, untrusted, shortfallCount }: Findings): VerifyOutcome {
  if (faultCount > 0) return 'tampered';
  if (untrusted) return 'untrusted';
  return shortfallCount > 0 ? 'incomplete' : 'ok';
}

const NOT_REACHED: Readonly<Record<VerifyLevel, readonly string[]>> = {
  checkpoints: ['batch headers', 'records', 'payloads'],
  batches: ['records', 'payloads'],
  rows: ['payloads'],
  payloads: [],
};

function tellUnchecked(
  findings: Findings,
  { since }: VerifyOptions,
  level: VerifyLevel,
  months: readonly VerifiedMonth[],
): void {
  for (const what of NOT_REACHED[level]) findings.unchecked(`${what}: the level is '${level}'`);
  const left = months.filter(({ state }) => state === 'not asked for').map(({ month }) => month);
  if (left.length > 0) findings.unchecked(`the records of ${left.join(', ')}: not asked for`);
  if (since !== undefined && since.size > 0)
    findings.unchecked(`the first ${since.size} batches and their records: an earlier verification did`);
  findings.unchecked('whether what was recorded is true, or all that happened: a seal shows only that it is unchanged');
}
