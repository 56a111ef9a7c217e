import type { Ask } from './ask.js';
import { APPENDED_TABLES, named } from './evidence.tables.js';
import { ok, problem, warning, type Finding } from './finding.js';

// What the script of `gatehouse roles` grants for erasures and months that go, which is let through once it was recorded.
const may = (schema: string): string =>
  `coalesce(grantee = to_regrole('"${schema}_maintenance"')::oid, false)
    AND (base = 'drop_month' OR base = 'audit_payload' AND privilege = 'DELETE' OR base = 'approval_event' AND privilege = 'UPDATE' AND on_column = 'detail')`;

/** What anybody could do to the evidence: the second wall, where the application does not own its tables. */
export async function grantCheck(ask: Ask, schema: string): Promise<Finding> {
  const tables = named(schema, APPENDED_TABLES);
  const granted = await ask<{ name: string }>(
    `${tables}, acl AS (
        SELECT s.base, s.relname, c.relowner, NULL::text AS on_column, a.grantee, a.privilege_type AS privilege
          FROM named s JOIN pg_class c USING (oid) CROSS JOIN aclexplode(c.relacl) a
        UNION ALL SELECT s.base, s.relname, c.relowner, t.attname::text, a.grantee, a.privilege_type
          FROM named s JOIN pg_class c USING (oid) JOIN pg_attribute t ON t.attrelid = s.oid AND NOT t.attisdropped CROSS JOIN aclexplode(t.attacl) a
        UNION ALL SELECT f.proname, f.proname, f.proowner, NULL, a.grantee, a.privilege_type
          FROM pg_proc f CROSS JOIN aclexplode(coalesce(f.proacl, acldefault('f', f.proowner))) a
          WHERE f.pronamespace = '"${schema}"'::regnamespace AND f.proname = 'drop_month')
      SELECT DISTINCT coalesce('''' || g.rolname || '''', 'everybody') || ': ' || privilege || coalesce(' (' || on_column || ')', '') || ' on ' || relname AS name
        FROM acl LEFT JOIN pg_roles g ON g.oid = grantee
        WHERE grantee <> relowner AND privilege IN ('UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER', 'EXECUTE')
          AND NOT (${may(schema)}) ORDER BY 1`,
  );
  if (granted.length > 0)
    return problem(
      'grants',
      `evidence may be changed (${granted.map(({ name }) => name).join('; ')}). Revoke it, or run 'gatehouse roles' again.`,
    );
  const [role] = await ask<{ name: string; superuser: boolean; owner: boolean }>(
    `${tables} SELECT current_user AS name, (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) AS superuser,
      EXISTS (SELECT FROM named s JOIN pg_class c USING (oid) WHERE pg_has_role(current_user, c.relowner, 'MEMBER')) AS owner`,
  );
  if (role === undefined) return problem('grants', 'nothing was answered');
  const { name, superuser, owner } = role;
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
  return ok('grants', `'${name}' can append evidence at most, and nobody but its owner can change any`);
}
