import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { classesOf } from './role.class.js';
import { fulfils, ROLE_RULES, type RoleKind, type RoleTypes } from './role.kinds.js';
import { idleRole, scopedRole } from './role.problems.js';

/** A role found among the providers. */
export interface FoundRole<Kind extends RoleKind> {
  readonly name: string;
  readonly type: object;
  readonly role: RoleTypes[Kind];
}

/** Finds roles by their decorator, in every module. */
@Injectable()
export class RoleExplorer {
  constructor(private readonly discovery: DiscoveryService) {}

  /**
   * The roles of one kind, by order, then class name.
   *
   * @throws ConfigurationError for a request-scoped or transient one, and for one without a method
   */
  find<Kind extends RoleKind>(kind: Kind): readonly FoundRole<Kind>[] {
    const found = new Map<unknown, FoundRole<Kind> & { readonly order: number }>();
    for (const wrapper of this.discovery.getProviders()) {
      const role = foundRole(kind, wrapper);
      // An alias, or one instance under two tokens, is one role.
      if (role && !found.has(role.role)) found.set(role.role, role);
    }
    return [...found.values()].sort((one, other) => one.order - other.order || byName(one.name, other.name));
  }
}

function foundRole<Kind extends RoleKind>(
  kind: Kind,
  wrapper: InstanceWrapper,
): (FoundRole<Kind> & { readonly order: number }) | undefined {
  const type = classesOf(wrapper).find((candidate) => ROLE_RULES[kind].order(candidate) !== undefined);
  if (type === undefined) return undefined;
  if (wrapper.isTransient || !wrapper.isDependencyTreeStatic()) throw scopedRole(kind, type.name);
  const instance: unknown = wrapper.instance;
  // A provider switched off by `useValue: null`.
  if (instance === null || instance === undefined) return undefined;
  if (!fulfils(kind, instance)) throw idleRole(kind, type.name);
  return { name: type.name, type, role: instance, order: ROLE_RULES[kind].order(type) ?? 0 };
}

// By code units, so that every machine sorts alike.
function byName(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
