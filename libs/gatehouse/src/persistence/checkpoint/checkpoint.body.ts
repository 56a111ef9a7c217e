import { NewerCheckpointError } from '../../contracts/errors/newer-checkpoint.error.js';
import { UPGRADES, type CheckpointPart, type Upgrade } from './checkpoint.upgrades.js';
import { CHECKPOINT_VERSION } from './checkpoint.version.js';

/** How a part of a run is stored: `[version, body]`. A bare body is never a list, so one without a version is known by that. */
export const bodyText = (body: object): string => JSON.stringify([CHECKPOINT_VERSION, body]);

/**
 * A stored part in its present shape, whatever version it was stored in.
 *
 * @param of whose it is, for the error
 * @throws NewerCheckpointError
 */
export function bodyOf<T>(
  part: CheckpointPart,
  text: string,
  of: string,
  known: { readonly version: number; readonly upgrades: readonly Upgrade[] } = PRESENT,
): T {
  const { version, body } = opened(text);
  if (version > known.version) throw new NewerCheckpointError(of, version);
  const upgrades = known.upgrades.slice(version, known.version);
  return upgrades.reduce((before, upgrade) => upgrade[part]?.(before) ?? before, body) as T;
}

/** The body whatever its version: for what only shows it, and never goes on with it. */
export const shownBody = <T>(text: string): T => opened(text).body as T;

const PRESENT = { version: CHECKPOINT_VERSION, upgrades: UPGRADES };

function opened(text: string): { readonly version: number; readonly body: unknown } {
  const stored: unknown = JSON.parse(text);
  if (!Array.isArray(stored)) return { version: 0, body: stored };
  const [version, body] = stored as readonly unknown[];
  if (typeof version !== 'number' || !Number.isInteger(version)) throw new TypeError('A stored body has no version.');
  return { version, body };
}
