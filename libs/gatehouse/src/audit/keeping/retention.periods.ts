import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import type { Duration } from '../../contracts/duration.js';
import { toMilliseconds } from '../../values/durations.js';

const DAY = 86_400_000;

/** The least that is kept unless forced: six months, of any length (EU AI Act, articles 19 and 26). */
export const LEAST_DAYS = 184;

/** Periods that rules ask for, in days. */
export const RETENTION_PRESETS = Object.freeze({
  /** EU AI Act, articles 19(1) and 26(6): at least six months. */
  'ai-act': LEAST_DAYS,
  /** PCI DSS 10.5.1: twelve months. */
  pci: 366,
  /** HIPAA 164.316(b)(2)(i): six years. */
  hipaa: 2192,
});

/** How long evidence is kept: the name of a preset, or a duration. */
export type RetentionPeriod = Duration;

/** @throws ConfigurationError for less than 184 days that is not forced */
export function periodOf(keep: RetentionPeriod, force: boolean): number {
  const milliseconds = isPreset(keep) ? RETENTION_PRESETS[keep] * DAY : toMilliseconds(keep, 'keep');
  if (milliseconds >= LEAST_DAYS * DAY || force) return milliseconds;
  throw new ConfigurationError(
    `Evidence is kept for at least ${LEAST_DAYS} days (EU AI Act, articles 19 and 26). Force it where no such rule binds you.`,
  );
}

const isPreset = (keep: unknown): keep is keyof typeof RETENTION_PRESETS =>
  typeof keep === 'string' && Object.hasOwn(RETENTION_PRESETS, keep);
