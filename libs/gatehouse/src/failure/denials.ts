import { NotPermitted } from '../contracts/errors/not-permitted.error.js';
import { PrincipalUnavailable } from '../contracts/errors/principal-unavailable.error.js';

/**
 * Whether an error says "you may not", by default: our `NotPermitted` and `PrincipalUnavailable`, any Nest HttpException of status 401 or
 * 403, and the `ForbiddenError` of @casl/ability. Never throws.
 */
export function isDenial(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  try {
    return (
      error instanceof NotPermitted ||
      error instanceof PrincipalUnavailable ||
      isHttpDenial(error) ||
      isCaslDenial(error)
    );
  } catch {
    return false;
  }
}

// By shape, as there may be two copies of Nest; a subclass with a status of its own is judged by that.
function isHttpDenial(error: Error): boolean {
  if (!('getStatus' in error) || typeof error.getStatus !== 'function') return false;
  const status: unknown = Reflect.apply(error.getStatus, error, []);
  return status === 401 || status === 403;
}

// By shape, so that the package is never loaded, and whichever copy the application has counts.
function isCaslDenial(error: Error): boolean {
  return error.name === 'ForbiddenError' && 'ability' in error && isAbility(error.ability);
}

function isAbility(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'can' in value && typeof value.can === 'function';
}
