import type { Type } from '@nestjs/common';
import type { RoleRef } from '../../contracts/run.js';
import { fulfils, type RoleKind, type RoleTypes } from './role.kinds.js';
import { idleRole } from './role.problems.js';
import type { FoundRole } from './role.explorer.js';

/** Makes an instance of a class: the container's singleton, or a new one. */
export type ResolveRole = <T>(type: Type<T>) => Promise<T>;

/**
 * The instances that a run adds, in the order they were listed.
 *
 * @throws ConfigurationError for one without a method of its role
 */
export async function perRunRoles<Kind extends RoleKind>(
  kind: Kind,
  refs: readonly RoleRef<RoleTypes[Kind]>[] | undefined,
  resolve: ResolveRole,
): Promise<readonly FoundRole<Kind>[]> {
  return Promise.all((refs ?? []).map((ref) => instanceOf(kind, ref, resolve)));
}

async function instanceOf<Kind extends RoleKind>(
  kind: Kind,
  ref: RoleRef<RoleTypes[Kind]>,
  resolve: ResolveRole,
): Promise<FoundRole<Kind>> {
  const instance: unknown = isClass(ref) ? await resolve(ref) : ref;
  const type = isClass(ref) ? ref : ref.constructor;
  // An object literal has no name of its own.
  const name = type === Object ? `inline ${kind}` : type.name;
  if (!fulfils(kind, instance)) throw idleRole(kind, name);
  return { name, type, role: instance };
}

function isClass<T extends object>(ref: RoleRef<T>): ref is Type<T> {
  return typeof ref === 'function';
}
