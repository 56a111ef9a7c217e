/** What is sealed, and only ever appended. */
export const SEALED_TABLES = [
  'audit_log',
  'audit_payload',
  'audit_batch',
  'audit_leaf',
  'audit_tile',
  'audit_checkpoint',
  'audit_anchor',
] as const;

/** What is only ever appended, sealed or not. */
export const APPENDED_TABLES = [...SEALED_TABLES, 'approval_event'] as const;

/** Where evidence is, or passes on its way into the log. */
export const EVIDENCE_TABLES = [
  ...APPENDED_TABLES,
  'approval_request',
  'approval_vote',
  'evidence_outbox',
  'evidence_writer',
  'legal_hold',
] as const;

/** SQL: `named` has these tables and each of their partitions, with the name of the table (`base`) that a partition is of. */
export const named = (schema: string, names: readonly string[]): string => `WITH named AS (
    SELECT c.oid, c.relname, c.relname AS base FROM pg_class c
      WHERE c.relnamespace = '"${schema}"'::regnamespace AND c.relname = ANY('{${names.join(',')}}'::text[])
    UNION SELECT c.oid, c.relname, p.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      JOIN pg_class p ON p.oid = i.inhparent WHERE p.relnamespace = '"${schema}"'::regnamespace AND p.relname = ANY('{${names.join(',')}}'::text[]))`;
