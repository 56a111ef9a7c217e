import { ok, problem, warning, type Finding } from './finding.js';
import type { Ask } from './ask.js';

const SEALED = [
  'audit_log',
  'audit_payload',
  'audit_batch',
  'audit_leaf',
  'audit_tile',
  'audit_checkpoint',
  'audit_anchor',
];
const NAMES = `'{${SEALED.join(',')}}'::text[]`;

// The tables, and each of their partitions.
const tables = (schema: string): string => `WITH sealed AS (
    SELECT c.oid, c.relname, c.relowner, c.relkind, c.relacl FROM pg_class c WHERE c.relnamespace = '"${schema}"'::regnamespace AND c.relname = ANY(${NAMES})
    UNION SELECT c.oid, c.relname, c.relowner, c.relkind, c.relacl FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      JOIN pg_class p ON p.oid = i.inhparent WHERE p.relnamespace = '"${schema}"'::regnamespace AND p.relname = ANY(${NAMES}))`;

/** Whether the triggers stand that refuse changes, on every table and partition, whatever a session sets. */
export async function triggerCheck(ask: Ask, schema: string): Promise<Finding> {
  const missing = await ask<{ name: string }>(
    `${tables(schema)} SELECT s.relname || '.' || t.name AS name FROM sealed s CROSS JOIN (VALUES ('append_only'), ('never_truncated')) AS t(name)
      WHERE NOT EXISTS (SELECT FROM pg_trigger g WHERE g.tgrelid = s.oid AND g.tgname = t.name AND g.tgenabled = 'A') ORDER BY 1`,
  );
  if (missing.length === 0)
    return ok('triggers', 'changes are refused on every table and partition of the evidence, always');
  return problem(
    'triggers',
    `missing, disabled or not ALWAYS: ${missing.map(({ name }) => name).join(', ')}. Run the migrations as the owner, or enable them again.`,
  );
}

/** What the role that asks could do to the evidence: the second wall, where the application does not own its tables. */
export async function grantCheck(ask: Ask, schema: string): Promise<Finding> {
  const [role] = await ask<{ name: string; superuser: boolean; owner: boolean; granted: string[] }>(
    `${tables(schema)} SELECT current_user AS name, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
      EXISTS (SELECT FROM sealed WHERE pg_has_role(current_user, relowner, 'MEMBER')) AS owner,
      ARRAY(SELECT DISTINCT s.relname || ': ' || p FROM sealed s CROSS JOIN unnest('{UPDATE,DELETE,TRUNCATE}'::text[]) p
        WHERE has_table_privilege(current_user, s.oid, p) AND NOT (s.relname LIKE 'audit_payload%' AND p = 'DELETE') ORDER BY 1) AS granted`,
  );
  if (role === undefined) return problem('grants', 'nothing was answered');
  const { name, superuser, owner, granted } = role;
  if (superuser)
    return warning(
      'grants',
      `'${name}' is a superuser: only the triggers and the seal protect the evidence from it. See 'gatehouse roles'.`,
    );
  if (owner)
    return warning(
      'grants',
      `'${name}' owns the evidence: it could drop the triggers. Connect the application as a writer role ('gatehouse roles').`,
    );
  if (granted.length > 0)
    return problem(
      'grants',
      `'${name}' may change evidence (${granted.join('; ')}). Revoke it, or run 'gatehouse roles' again.`,
    );
  return ok('grants', `'${name}' can append evidence at most`);
}

/** Row security holds on the parents alone: nobody may be granted anything on a partition. */
export async function partitionCheck(ask: Ask, schema: string): Promise<Finding> {
  const open = await ask<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
      WHERE p.relnamespace = '"${schema}"'::regnamespace AND EXISTS (SELECT FROM aclexplode(c.relacl) a WHERE a.grantee <> c.relowner) ORDER BY 1`,
  );
  if (open.length > 0) {
    return problem(
      'partitions',
      `granted to others, past row security: ${open.map(({ name }) => name).join(', ')}. Revoke it.`,
    );
  }
  const [fallback] = await ask<{ name: string }>(
    `SELECT c.relname AS name FROM pg_partitioned_table t JOIN pg_class c ON c.oid = t.partdefid WHERE c.relnamespace = '"${schema}"'::regnamespace`,
  );
  if (fallback !== undefined) {
    return problem(
      'partitions',
      `'${fallback.name}' is a default partition: it will block months. Move its rows, and drop it.`,
    );
  }
  return ok('partitions', 'nothing is granted on them, and none is a default');
}

/** Whether a reader of one organization sees only that one's evidence. */
export async function rowSecurityCheck(ask: Ask, schema: string): Promise<Finding> {
  const without = await ask<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = '"${schema}"'::regnamespace AND relname IN ('audit_log', 'audit_payload')
      AND NOT relrowsecurity ORDER BY 1`,
  );
  if (without.length === 0)
    return ok('row security', 'readers see the organization they set, and nothing where they set none');
  return problem(
    'row security',
    `off for ${without.map(({ name }) => name).join(', ')}. Enable it: ALTER TABLE … ENABLE ROW LEVEL SECURITY.`,
  );
}

/** A foreign key would let a row elsewhere take evidence along. */
export async function foreignKeyCheck(ask: Ask, schema: string): Promise<Finding> {
  const found = await ask<{ name: string }>(
    `${tables(schema)} SELECT conname AS name FROM pg_constraint WHERE contype = 'f' AND (conrelid IN (SELECT oid FROM sealed) OR confrelid IN (SELECT oid FROM sealed))`,
  );
  return found.length === 0
    ? ok('foreign keys', 'none leads to or from the evidence')
    : problem('foreign keys', `${found.map(({ name }) => name).join(', ')} can delete or block evidence. Drop them.`);
}
