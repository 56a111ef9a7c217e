import type { Principal } from '../../contracts/principal.js';
import type { HttpRequest } from './http.request.js';
import { ProblemError } from './problem.error.js';

/** Who asks: `request.user`, as the app's own guard left it. Throws 401 where nobody did. */
export function principalOf(request: HttpRequest): Principal {
  const { user } = request;
  const id = identifier(user, 'id') ?? identifier(user, 'sub');
  if (id === undefined) throw new ProblemError(401, 'unauthenticated', 'This route needs an authenticated user.');
  const organizationId = identifier(user, 'organizationId') ?? identifier(user, 'tenantId');
  return Object.freeze({ id, ...(organizationId === undefined ? {} : { organizationId }), roles: roles(user) });
}

// Numeric keys of a users table are identifiers too.
function identifier(user: unknown, name: string): string | undefined {
  const value = member(user, name);
  if (typeof value === 'string' && value !== '') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined;
}

function roles(user: unknown): readonly string[] {
  const value = member(user, 'roles');
  return Object.freeze(Array.isArray(value) ? value.filter((role): role is string => typeof role === 'string') : []);
}

const member = (user: unknown, name: string): unknown =>
  typeof user === 'object' && user !== null ? (Reflect.get(user, name) as unknown) : undefined;
