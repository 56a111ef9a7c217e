const PARTITIONED = ['audit_log', 'audit_payload'];
const SEAL = ['audit_batch', 'audit_leaf', 'audit_tile', 'audit_checkpoint', 'audit_anchor'];

/**
 * What is sealed is only ever appended. ALWAYS: also for a session that set session_replication_role to replica; `ensure_month` does the same on
 * each partition. A payload may go once an erasure that covers it was recorded; what was recorded is in the log or on its way there.
 */
export const logGuards = (s: string): string[] => [
  erasureGuard(s),
  historyGuard(s),
  `DROP TRIGGER approval_event_append_only ON ${s}.approval_event`,
  trigger(s, 'approval_event', 'append_only', 'UPDATE OR DELETE', 'ROW', 'refuse_change_but_erasure'),
  `ALTER TABLE ${s}.approval_event ENABLE ALWAYS TRIGGER append_only`,
  trigger(s, 'audit_log', 'append_only', 'UPDATE OR DELETE', 'ROW', 'refuse_change'),
  trigger(s, 'audit_payload', 'append_only', 'UPDATE OR DELETE', 'ROW', 'refuse_unrecorded_erasure'),
  ...SEAL.map((table) => trigger(s, table, 'append_only', 'UPDATE OR DELETE', 'ROW', 'refuse_change')),
  ...[...PARTITIONED, ...SEAL].map((table) =>
    trigger(s, table, 'never_truncated', 'TRUNCATE', 'STATEMENT', 'refuse_change'),
  ),
  ...[...PARTITIONED, ...SEAL].flatMap((table) =>
    ['append_only', 'never_truncated'].map((name) => `ALTER TABLE ${s}.${table} ENABLE ALWAYS TRIGGER ${name}`),
  ),
];

const trigger = (s: string, table: string, name: string, on: string, each: string, what: string): string =>
  `CREATE TRIGGER ${name} BEFORE ${on} ON ${s}.${table} FOR EACH ${each} EXECUTE FUNCTION ${s}.${what}()`;

const erasureGuard = (
  s: string,
): string => `CREATE FUNCTION ${s}.refuse_unrecorded_erasure() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  IF TG_OP = 'DELETE' AND EXISTS (
    SELECT FROM ${s}.audit_log l WHERE l.id = OLD.id AND (
      EXISTS (SELECT FROM ${s}.audit_log e WHERE e.kind = 'erased' AND e.at >= l.at
        AND (e.principal_id = l.principal_id OR e.run_id = l.run_id))
      OR EXISTS (SELECT FROM ${s}.evidence_outbox e WHERE e.kind = 'erased' AND e.at >= l.at
        AND (e.principal_id = l.principal_id OR e.run_id = l.run_id)))
  ) THEN RETURN OLD; END IF;
  RAISE EXCEPTION '% on %.% is refused: no erasure that covers this payload was recorded', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END $body$`;

const historyGuard = (
  s: string,
): string => `CREATE FUNCTION ${s}.refuse_change_but_erasure() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.detail IS NULL AND to_jsonb(NEW) - 'detail' = to_jsonb(OLD) - 'detail' AND EXISTS (
    SELECT FROM ${s}.audit_log WHERE kind = 'erased' AND run_id = OLD.run_id
    UNION ALL SELECT FROM ${s}.evidence_outbox WHERE kind = 'erased' AND run_id = OLD.run_id
  ) THEN RETURN NEW; END IF;
  RAISE EXCEPTION '% on %.% is refused: evidence is only ever appended', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END $body$`;
