/** What happens to an approval goes the way of every fact, in the transaction that made it true. */
export const approvalFacts = (s: string): string[] => [
  `CREATE FUNCTION ${s}.hand_on_approval_event() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO ${s}.evidence_outbox (id, kind, at, organization_id, principal_id, run_id, thread_id, operation_id, approval_id, tool_name,
      tool_call_id, status, arguments_digest, payload)
    SELECT ${s}.uuid_v7(), 'approval.' || NEW.kind, NEW.at, ${s}.ledger_name(NEW.organization_id), ${s}.ledger_name(NEW.principal_id), NEW.run_id,
        ${s}.ledger_name(a.thread_id), a.operation_id, NEW.approval_id, ${s}.ledger_name(NEW.tool_name), ${s}.ledger_name(a.tool_call_id),
        NEW.status, coalesce(a.edited_digest, a.arguments_digest),
        CASE WHEN NEW.detail IS NOT NULL THEN json_build_object('detail', NEW.detail)::text END
      FROM (SELECT NEW.approval_id AS id) e LEFT JOIN ${s}.approval_request a ON a.id = e.id;
  RETURN NULL;
END $body$`,
  `CREATE TRIGGER approval_event_fact AFTER INSERT ON ${s}.approval_event FOR EACH ROW EXECUTE FUNCTION ${s}.hand_on_approval_event()`,
  `ALTER TABLE ${s}.approval_event ENABLE ALWAYS TRIGGER approval_event_fact`,
];

/** A name as an indexed column takes it: what `ledgerName` does, for names that SQL writes. */
export const ledgerNameFunction = (
  s: string,
): string => `CREATE FUNCTION ${s}.ledger_name(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
  SELECT CASE WHEN length(name) <= 256 THEN name
    ELSE left(name, 230) || '…#' || left(encode(sha256(convert_to(name, 'UTF8')), 'hex'), 16) END
$body$`;
