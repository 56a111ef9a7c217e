import type { RunScope } from '../operations/run.scope.js';

/** For calls that are ended in the run's last write: listeners are told once it is committed, for another process's end may come first. */
export const closingScope = (scope: RunScope): RunScope => ({ ...scope, roles: { ...scope.roles, listeners: [] } });
