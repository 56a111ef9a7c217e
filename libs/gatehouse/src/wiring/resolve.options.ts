import type { Duration } from '../contracts/duration.js';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import type { AuditOptions, PersistenceOptions, RunsOptions, SealOptions } from '../contracts/options.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import type { FactoryOptions } from '../gatehouse.module-definition.js';
import { limitsOf } from '../runs/run.limits.js';
import { toMilliseconds } from '../values/durations.js';
import { isKeyName } from '../values/transparency/verifier.key.js';
import { acceptedFiles, acceptedKinds } from './accepted.content.js';

const LIMITS: ResolvedOptions['limits'] = {
  steps: 50,
  toolCalls: 200,
  callsPerResponse: 64,
  toolRetries: 1,
  outputRetries: 1,
  redirects: 1,
  repeatedRefusals: 3,
  toolRefusals: 5,
  pendingApprovals: 20,
  depth: 5,
  parallelToolCalls: 8,
  decisionTimeout: 30_000,
};

/** Of the module itself: they stand beside a factory. */
const BESIDE: ReadonlySet<string> = new Set(['persistence', 'isGlobal']);
const KNOWN = new Set(['audit', 'guard', 'failure', 'approvals', 'limits', 'redaction', 'streaming', 'runs']);

/** Fills in every default, once. Throws `ConfigurationError` or `TypeError` for what cannot work. */
export const resolveOptions = (given: FactoryOptions, persistence: PersistenceOptions | undefined): ResolvedOptions => {
  const options = checked(given);
  const { approvals = {}, streaming = {}, runs = {}, guard } = options;
  return Object.freeze({
    persistence: persistence && Object.freeze({ schema: 'gatehouse', migrations: 'run' as const, ...persistence }),
    audit: auditOf(options.audit),
    guard:
      guard &&
      Object.freeze({
        enabled: guard.enabled,
        exempt: guard.exempt ?? [],
        requireApproval: guard.requireApproval ?? [],
      }),
    failure: Object.freeze({ enabled: true, includeDetail: false, reraise: undefined, ...options.failure }),
    approvals: Object.freeze({
      expiresIn: toMilliseconds(approvals.expiresIn ?? '15m', 'approvals.expiresIn'),
      executeWithin: toMilliseconds(approvals.executeWithin ?? '15m', 'approvals.executeWithin'),
      autoResume: approvals.autoResume ?? true,
      secrets: secretsOf(approvals),
    }),
    limits: limitsOf(LIMITS, options.limits),
    redaction: options.redaction ?? {},
    streaming: Object.freeze({
      onDisconnect: streaming.onDisconnect ?? 'cancel',
      heartbeat: positive(streaming.heartbeat ?? '15s', 'streaming.heartbeat'),
      maxAge: toMilliseconds(streaming.maxAge ?? '1h', 'streaming.maxAge'),
      accept: acceptedKinds(streaming.accept),
      files: acceptedFiles(streaming.files),
    }),
    runs: Object.freeze({
      lease: positive(runs.lease ?? '60s', 'runs.lease'),
      grace: toMilliseconds(runs.grace ?? '5s', 'runs.grace'),
      drain: toMilliseconds(runs.drain ?? '10s', 'runs.drain'),
      keepEvents: positive(runs.keepEvents ?? '24h', 'runs.keepEvents'),
      execute: executeOf(runs.execute),
      startWithin: positive(runs.startWithin ?? '15m', 'runs.startWithin'),
    }),
  });
};

const executeOf = (given: RunsOptions['execute'] = 'here'): 'here' | 'dispatched' => {
  if (given === 'here' || given === 'dispatched') return given;
  throw new ConfigurationError(`runs.execute is '${String(given)}': write 'here' or 'dispatched'.`);
};

// A timer of 0 would never rest.
const positive = (duration: Duration, name: string): number => {
  const milliseconds = toMilliseconds(duration, name);
  if (milliseconds > 0) return milliseconds;
  throw new ConfigurationError(`${name} must be longer than 0.`);
};

const SHORTEST_SECRET = 32;

const secretsOf = (approvals: { readonly secret?: string | readonly string[] }): readonly string[] => {
  const { secret: given } = approvals;
  // Given and undefined is a variable that was forgotten: nobody means to run unsigned by that.
  if (!('secret' in approvals)) return Object.freeze([]);
  const secrets = typeof given === 'string' ? [given] : [...(given ?? [])];
  if (secrets.length > 0 && secrets.every((one) => typeof one === 'string' && one.length >= SHORTEST_SECRET)) {
    return Object.freeze(secrets);
  }
  throw new ConfigurationError(
    `approvals.secret must be one text, or a list of them, each of at least ${SHORTEST_SECRET} characters. Is the environment variable set?`,
  );
};

const sealOf = (given: false | SealOptions | undefined): ResolvedOptions['audit']['seal'] => {
  if (given === false) return undefined;
  const { origin = 'gatehouse', key, interval = '1s', heartbeat = '60s', anchors = [] } = given ?? {};
  if (!isKeyName(origin)) {
    throw new ConfigurationError(
      `audit.seal.origin is '${origin}': write a URL without its scheme, such as 'example.com/audit', without spaces and '+'.`,
    );
  }
  const keys = key === undefined ? [process.env['GATEHOUSE_SEAL_KEY'] ?? ''] : typeof key === 'string' ? [key] : key;
  return Object.freeze({
    origin,
    keys: Object.freeze(keys.filter((one) => one !== '')),
    interval: positive(interval, 'audit.seal.interval'),
    heartbeat: positive(heartbeat, 'audit.seal.heartbeat'),
    anchors: Object.freeze([...anchors]),
  });
};

const queueOf = ({ records = 10_000, bytes = 64 * 1024 * 1024 }: NonNullable<AuditOptions['queue']> = {}) => {
  for (const [name, value] of Object.entries({ records, bytes })) {
    if (!Number.isSafeInteger(value) || value < 1)
      throw new ConfigurationError(`audit.queue.${name} must be a whole number from 1, not ${String(value)}.`);
  }
  return Object.freeze({ records, bytes });
};

const auditOf = (given: false | AuditOptions | undefined): ResolvedOptions['audit'] => {
  const options = given === false ? {} : (given ?? {});
  return Object.freeze({
    enabled: given !== false,
    loggers: options.loggers,
    durability: options.durability ?? 'best-effort',
    deadline: positive(options.deadline ?? '5s', 'audit.deadline'),
    sinkTimeout: toMilliseconds(options.sinkTimeout ?? '1s', 'audit.sinkTimeout'),
    queue: queueOf(options.queue),
    seal: sealOf(options.seal),
    defaults: Object.freeze({ ...options.defaults }),
  });
};

const checked = (given: FactoryOptions | undefined): FactoryOptions => {
  const options = given ?? {};
  for (const key of Object.keys(options)) {
    if (BESIDE.has(key)) {
      throw new ConfigurationError(
        `'${key}' stands beside useFactory in GatehouseModule.forRootAsync, not in what it returns.`,
      );
    }
    if (!KNOWN.has(key))
      throw new ConfigurationError(
        `GatehouseModule does not know the option '${key}'. Known: ${[...KNOWN, ...BESIDE].join(', ')}.`,
      );
  }
  return options;
};
