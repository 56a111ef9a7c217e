import { SEALED_COLUMNS } from './sealed.columns.js';

/**
 * The log and its erasable payloads, partitioned by the month in a record's id. No foreign key and no default partition: neither a deleted row
 * elsewhere nor a stray month may take evidence along or block a partition.
 */
export const logTables = (s: string): string[] => [
  `CREATE TABLE ${s}.audit_log (${SEALED_COLUMNS},
    payload_commitment bytea,
    writer_id uuid NOT NULL,
    seq bigint NOT NULL,
    idx integer NOT NULL,
    CONSTRAINT audit_log_pkey PRIMARY KEY (id)
  ) PARTITION BY RANGE (id)`,
  `CREATE INDEX audit_log_run ON ${s}.audit_log (run_id, id)`,
  `CREATE INDEX audit_log_organization ON ${s}.audit_log (organization_id, id)`,
  `CREATE INDEX audit_log_principal ON ${s}.audit_log (principal_id, id)`,
  `CREATE INDEX audit_log_tool ON ${s}.audit_log (tool_name, id)`,
  `CREATE INDEX audit_log_status ON ${s}.audit_log (kind, status, id)`,
  `CREATE INDEX audit_log_thread ON ${s}.audit_log (thread_id, id)`,
  `CREATE INDEX audit_log_target ON ${s}.audit_log (target_type, target_id, id) WHERE target_id IS NOT NULL`,
  `CREATE INDEX audit_log_at ON ${s}.audit_log USING brin (at)`,
  `CREATE TABLE ${s}.audit_payload (
    id uuid NOT NULL,
    organization_id text COLLATE "C",
    salt bytea NOT NULL,
    body bytea NOT NULL,
    CONSTRAINT audit_payload_pkey PRIMARY KEY (id)
  ) PARTITION BY RANGE (id)`,
];

/** The seal: batch headers, the global log of them, signed checkpoints, and where those were copied to. */
export const sealTables = (s: string): string[] => [
  `CREATE TABLE ${s}.audit_batch (
    writer_id uuid NOT NULL,
    seq bigint NOT NULL CHECK (seq > 0),
    codec smallint NOT NULL,
    count integer NOT NULL CHECK (count > 0),
    first_id uuid NOT NULL,
    last_id uuid NOT NULL,
    root bytea NOT NULL CHECK (octet_length(root) = 32),
    recorded_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT audit_batch_pkey PRIMARY KEY (writer_id, seq)
  )`,
  `CREATE TABLE ${s}.audit_leaf (
    log_index bigint NOT NULL CHECK (log_index >= 0),
    writer_id uuid NOT NULL,
    seq bigint NOT NULL,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    CONSTRAINT audit_leaf_pkey PRIMARY KEY (log_index),
    CONSTRAINT audit_leaf_batch UNIQUE (writer_id, seq)
  )`,
  `CREATE TABLE ${s}.audit_tile (
    level integer NOT NULL,
    index bigint NOT NULL,
    hash bytea NOT NULL CHECK (octet_length(hash) = 32),
    CONSTRAINT audit_tile_pkey PRIMARY KEY (level, index)
  )`,
  `CREATE TABLE ${s}.audit_checkpoint (
    tree_size bigint NOT NULL CHECK (tree_size >= 0),
    root bytea NOT NULL CHECK (octet_length(root) = 32),
    note text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT audit_checkpoint_pkey PRIMARY KEY (tree_size)
  )`,
  `CREATE TABLE ${s}.audit_anchor (
    tree_size bigint NOT NULL,
    anchor text COLLATE "C" NOT NULL,
    receipt text,
    anchored_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT audit_anchor_pkey PRIMARY KEY (tree_size, anchor)
  )`,
];

/** Working state of the evidence: facts on their way into the log, who writes it, and what must not go. */
export const evidenceStateTables = (s: string): string[] => [
  `CREATE TABLE ${s}.evidence_outbox (
    ordinal bigserial NOT NULL,${SEALED_COLUMNS},
    payload text,
    CONSTRAINT evidence_outbox_pkey PRIMARY KEY (ordinal)
  )`,
  `CREATE UNIQUE INDEX evidence_outbox_id ON ${s}.evidence_outbox (id)`,
  `CREATE INDEX evidence_outbox_run ON ${s}.evidence_outbox (run_id)`,
  `CREATE UNIQUE INDEX evidence_outbox_end ON ${s}.evidence_outbox (run_id) WHERE kind = 'run.terminal'`,
  `CREATE TABLE ${s}.evidence_writer (
    id uuid NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    version text NOT NULL,
    opened_at timestamptz(3) NOT NULL,
    seen_at timestamptz(3) NOT NULL,
    last_seq bigint,
    state text NOT NULL CHECK (state IN ('open', 'closed', 'lost')),
    sealed_seq bigint NOT NULL DEFAULT 0,
    CONSTRAINT evidence_writer_pkey PRIMARY KEY (id)
  )`,
  `CREATE TABLE ${s}.legal_hold (
    id uuid NOT NULL,
    organization_id text COLLATE "C",
    run_id uuid,
    principal_id text COLLATE "C",
    from_at timestamptz(3),
    until_at timestamptz(3),
    reason text NOT NULL,
    placed_by text NOT NULL,
    placed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    released_by text,
    released_at timestamptz(3),
    CONSTRAINT legal_hold_pkey PRIMARY KEY (id)
  )`,
];
