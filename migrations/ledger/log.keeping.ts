// A hold's narrowings, against a record (alias l); absent ones hold everything.
const HOLDS = `(h.organization_id IS NULL OR h.organization_id = l.organization_id) AND (h.run_id IS NULL OR h.run_id = l.run_id)
      AND (h.principal_id IS NULL OR h.principal_id = l.principal_id)
      AND (h.from_at IS NULL OR l.at >= h.from_at) AND (h.until_at IS NULL OR l.at < h.until_at)`;

/**
 * `drop_month` lets a month go: SECURITY DEFINER, so that who maintains the evidence need not own it. Only a month that is over goes, that no hold
 * covers, and that has as many records as the newest record of its going says. What could change that waits until this transaction ends.
 */
export const keepingFunctions = (s: string): string[] => [
  `CREATE FUNCTION ${s}.drop_month(month text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  recorded bigint;
  stored bigint;
  is_held boolean;
BEGIN
  -- An older snapshot would not see what was committed before the locks were had.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'a month goes in a READ COMMITTED transaction alone' USING ERRCODE = 'restrict_violation';
  END IF;
  IF month !~ '^\\d{6}$' OR NOT EXISTS (
    SELECT FROM ${s}.audit_log WHERE kind = 'retention' AND reference = month
    UNION ALL SELECT FROM ${s}.evidence_outbox WHERE kind = 'retention' AND reference = month
  ) THEN
    RAISE EXCEPTION 'the month % cannot go: no retention record says so', month USING ERRCODE = 'restrict_violation';
  END IF;
  IF (to_date(month, 'YYYYMM') + interval '1 month') AT TIME ZONE 'UTC' > clock_timestamp() THEN
    RAISE EXCEPTION 'the month % cannot go: it is not over', month USING ERRCODE = 'restrict_violation';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('gatehouse:month:${s}:' || month, 0));
  IF to_regclass(format('${s}.%I', 'audit_log_' || month)) IS NULL THEN RETURN; END IF;
  LOCK TABLE ${s}.legal_hold IN SHARE MODE;
  EXECUTE format('LOCK TABLE ${s}.%I IN SHARE ROW EXCLUSIVE MODE', 'audit_log_' || month);
  EXECUTE format('SELECT EXISTS (SELECT FROM ${s}.legal_hold h WHERE h.released_at IS NULL AND EXISTS (SELECT FROM ${s}.%I l WHERE ${HOLDS}))',
    'audit_log_' || month) INTO is_held;
  IF is_held THEN
    RAISE EXCEPTION 'the month % cannot go: a legal hold stands on it', month USING ERRCODE = 'restrict_violation';
  END IF;
  EXECUTE format('SELECT count(*) FROM ${s}.%I', 'audit_log_' || month) INTO stored;
  SELECT amount INTO recorded FROM (
    SELECT id, status, amount FROM ${s}.audit_log WHERE kind = 'retention' AND reference = month
    UNION ALL SELECT id, status, amount FROM ${s}.evidence_outbox WHERE kind = 'retention' AND reference = month
  ) said WHERE status IN ('dropped', 'kept') ORDER BY id DESC LIMIT 1;
  IF recorded IS DISTINCT FROM stored THEN
    RAISE EXCEPTION 'the month % cannot go: it has % records, and not % as recorded', month, stored, recorded USING ERRCODE = 'restrict_violation';
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS ${s}.%I, ${s}.%I', 'audit_payload_' || month, 'audit_log_' || month);
END $body$`,
  ...['ensure_month(timestamptz)', 'drop_month(text)'].map(
    (signature) => `REVOKE ALL ON FUNCTION ${s}.${signature} FROM PUBLIC`,
  ),
];

/**
 * A second wall between organizations, for every role but the owner: a session sees the organization it has set, and nothing where it set none.
 * Roles that may see all get a policy of their own (`gatehouse roles`).
 */
export const rowSecurity = (s: string): string[] =>
  ['audit_log', 'audit_payload'].flatMap((table) => [
    `ALTER TABLE ${s}.${table} ENABLE ROW LEVEL SECURITY`,
    `CREATE POLICY own_organization ON ${s}.${table} FOR SELECT
      USING (organization_id = nullif(current_setting('gatehouse.organization', true), ''))`,
  ]);
