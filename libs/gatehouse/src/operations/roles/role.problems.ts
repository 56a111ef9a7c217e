import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import { ROLE_RULES, type RoleKind } from './role.kinds.js';

/** A role that nobody could call once per run. */
export const scopedRole = (kind: RoleKind, name: string): ConfigurationError =>
  new ConfigurationError(
    `${ROLE_RULES[kind].decorator} ${name} is request-scoped or transient, or depends on a provider that is. ` +
      `Roles are called outside of any request: make it a singleton, and read the caller from what it is handed.`,
  );

/** A role without any method of it. */
export const idleRole = (kind: RoleKind, name: string): ConfigurationError =>
  new ConfigurationError(
    `${ROLE_RULES[kind].decorator} ${name} has none of the methods ${ROLE_RULES[kind].methods.join(', ')}: ` +
      `it would never be asked. Implement one of them, or take the decorator away.`,
  );
