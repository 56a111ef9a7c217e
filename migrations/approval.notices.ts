/** Who is told about approvals, and what each of them was told: working state. */
export const approvalNoticeTables = (s: string): string[] => [
  `CREATE TABLE ${s}.approval_notifier (
    name text NOT NULL,
    since timestamptz(3) NOT NULL,
    CONSTRAINT approval_notifier_pkey PRIMARY KEY (name)
  )`,
  `CREATE TABLE ${s}.approval_notice (
    event_id uuid NOT NULL,
    notifier text NOT NULL,
    attempts integer NOT NULL,
    next_at timestamptz(3) NOT NULL,
    settled_at timestamptz(3),
    error text,
    CONSTRAINT approval_notice_pkey PRIMARY KEY (event_id, notifier)
  )`,
  `CREATE INDEX approval_notice_due ON ${s}.approval_notice (next_at) WHERE settled_at IS NULL`,
  `CREATE INDEX approval_notice_settled ON ${s}.approval_notice (settled_at) WHERE settled_at IS NOT NULL`,
];
