/** The history of approvals: what happened to each, and who tried to decide it without being allowed to. */
export const approvalHistoryTable = (s: string): string[] => [
  `CREATE TABLE ${s}.approval_event (
    seq bigserial NOT NULL,
    id uuid NOT NULL,
    approval_id uuid NOT NULL,
    run_id uuid NOT NULL,
    organization_id text,
    tool_name text NOT NULL,
    kind text NOT NULL,
    status text,
    principal_id text,
    detail text,
    at timestamptz(3) NOT NULL,
    CONSTRAINT approval_event_pkey PRIMARY KEY (seq)
  )`,
  `CREATE UNIQUE INDEX approval_event_id ON ${s}.approval_event (id)`,
  `CREATE INDEX approval_event_run ON ${s}.approval_event (run_id, seq)`,
  `CREATE INDEX approval_event_approval ON ${s}.approval_event (approval_id, seq)`,
  `CREATE INDEX approval_event_organization ON ${s}.approval_event (organization_id, seq)`,
  `CREATE INDEX approval_event_at ON ${s}.approval_event (at)`,
  // Whatever becomes of the mutable row, an approval pays for one start.
  `CREATE UNIQUE INDEX approval_event_claimed ON ${s}.approval_event (approval_id) WHERE kind = 'claimed'`,
];

/** The tables write their own history: no path that changes an approval, not even a hand, can forget to. */
export const approvalHistoryTriggers = (s: string): string[] => [
  recordApproval(s),
  recordVote(s),
  `CREATE TRIGGER approval_request_history AFTER INSERT OR UPDATE ON ${s}.approval_request
    FOR EACH ROW EXECUTE FUNCTION ${s}.record_approval()`,
  `CREATE TRIGGER approval_vote_history AFTER INSERT ON ${s}.approval_vote
    FOR EACH ROW EXECUTE FUNCTION ${s}.record_vote()`,
  `ALTER TABLE ${s}.approval_request ENABLE ALWAYS TRIGGER approval_request_history`,
  `ALTER TABLE ${s}.approval_vote ENABLE ALWAYS TRIGGER approval_vote_history`,
];

export const dropApprovalHistoryTriggers = (s: string): string[] => [
  `DROP TRIGGER approval_vote_history ON ${s}.approval_vote`,
  `DROP TRIGGER approval_request_history ON ${s}.approval_request`,
  `DROP FUNCTION ${s}.record_vote()`,
  `DROP FUNCTION ${s}.record_approval()`,
];

const recordApproval = (
  s: string,
): string => `CREATE FUNCTION ${s}.record_approval() RETURNS trigger LANGUAGE plpgsql AS $body$
DECLARE
  what text;
  happened timestamptz;
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.status = OLD.status THEN RETURN NULL; END IF;
  what := CASE
    WHEN TG_OP = 'INSERT' THEN 'requested'
    WHEN OLD.status = 'pending' THEN 'decided'
    WHEN OLD.status = 'approved' AND NEW.status = 'executing' THEN 'claimed'
    WHEN NEW.status = 'unknown' THEN 'lost'
    WHEN OLD.status = 'unknown' THEN 'resolved'
    WHEN OLD.status = 'executing' AND NEW.status = 'done' THEN 'settled'
    WHEN NEW.status IN ('expired', 'cancelled', 'superseded') THEN 'withdrawn'
    ELSE 'changed' END;
  happened := CASE what
    WHEN 'requested' THEN NEW.requested_at
    WHEN 'decided' THEN NEW.decided_at
    WHEN 'claimed' THEN NEW.claimed_at
    WHEN 'resolved' THEN NEW.resolved_at END;
  INSERT INTO ${s}.approval_event (id, approval_id, run_id, organization_id, tool_name, kind, status, principal_id, detail, at)
    VALUES (gen_random_uuid(), NEW.id, NEW.run_id, NEW.organization_id, NEW.tool_name, what,
      CASE what WHEN 'requested' THEN NULL WHEN 'resolved' THEN NEW.resolved_outcome ELSE NEW.status END,
      CASE what WHEN 'requested' THEN NEW.requested_by WHEN 'resolved' THEN NEW.resolved_by END,
      CASE what WHEN 'requested' THEN NEW.summary WHEN 'decided' THEN NEW.reason WHEN 'resolved' THEN NEW.resolved_note END,
      coalesce(happened, clock_timestamp()));
  RETURN NULL;
END $body$`;

const recordVote = (s: string): string => `CREATE FUNCTION ${s}.record_vote() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  INSERT INTO ${s}.approval_event (id, approval_id, run_id, organization_id, tool_name, kind, status, principal_id, detail, at)
    SELECT gen_random_uuid(), a.id, a.run_id, a.organization_id, a.tool_name, 'voted',
        CASE WHEN NEW.approved THEN 'approved' ELSE 'denied' END, NEW.principal_id, coalesce(NEW.reason, NEW.note), NEW.at
      FROM ${s}.approval_request a WHERE a.id = NEW.approval_id;
  RETURN NULL;
END $body$`;
