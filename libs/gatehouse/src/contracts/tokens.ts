/** Metadata keys and DI tokens. Registered symbols: two copies of the package agree on them. */
export const TOOL_METADATA = Symbol.for('gatehouse:tool');
export const APPROVAL_METADATA = Symbol.for('gatehouse:require-approval');
export const INSPECTOR_METADATA = Symbol.for('gatehouse:inspector');
export const HOOK_METADATA = Symbol.for('gatehouse:hook');
export const MIDDLEWARE_METADATA = Symbol.for('gatehouse:middleware');
export const LISTENER_METADATA = Symbol.for('gatehouse:listener');
export const NOTIFIER_METADATA = Symbol.for('gatehouse:approval-notifier');
export const AGENT_METADATA = Symbol.for('gatehouse:agent');

/** The audit loggers in use, in order (`readonly AuditLogger[]`). */
export const AUDIT_LOGGERS = Symbol.for('gatehouse:audit-loggers');

/** The key in a tool's metadata that says it is destructive, exactly `true`. */
export const DESTRUCTIVE_METADATA_KEY = 'gatehouse.destructive';
