/**
 * `drop_month` lets a month go: SECURITY DEFINER, so that who maintains the evidence need not own it, and only once that it goes was recorded.
 */
export const keepingFunctions = (s: string): string[] => [
  `CREATE FUNCTION ${s}.drop_month(month text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  parent text;
BEGIN
  IF month !~ '^\\d{6}$' OR NOT EXISTS (
    SELECT FROM ${s}.audit_log WHERE kind = 'retention' AND reference = month
    UNION ALL SELECT FROM ${s}.evidence_outbox WHERE kind = 'retention' AND reference = month
  ) THEN
    RAISE EXCEPTION 'the month % cannot go: no retention record says so', month USING ERRCODE = 'restrict_violation';
  END IF;
  FOREACH parent IN ARRAY ARRAY['audit_payload', 'audit_log'] LOOP
    EXECUTE format('DROP TABLE IF EXISTS ${s}.%I', parent || '_' || month);
  END LOOP;
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
