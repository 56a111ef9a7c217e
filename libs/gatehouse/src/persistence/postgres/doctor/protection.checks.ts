import type { Ask } from './ask.js';
import { EVIDENCE_TABLES, named, SEALED_TABLES } from './evidence.tables.js';
import { expectedSchema, plainCondition } from './expected.schema.js';
import { ok, problem, type Finding } from './finding.js';
import { rolePolicies } from './roles.script.js';

const PARTITIONED = ['audit_log', 'audit_payload'];

/** The detail where the schema has none of the tables: nothing of Gatehouse is there. */
export const NO_TABLES = 'none of them is there';

/** Whether the tables are tables, outlive a crash, and keep what they are given as it was given. */
export async function tableCheck(ask: Ask, schema: string): Promise<Finding> {
  const wrong = await ask<{ name: string }>(
    `${named(schema, EVIDENCE_TABLES)}
      SELECT w.name || ' is no table' AS name FROM unnest($1::text[]) AS w(name) WHERE NOT EXISTS (
        SELECT FROM named s JOIN pg_class c USING (oid) WHERE s.relname = w.name AND c.relkind = CASE WHEN w.name = ANY($2::text[]) THEN 'p' ELSE 'r' END)
      UNION ALL SELECT s.relname || ' is not logged: a crash empties it' FROM named s JOIN pg_class c USING (oid) WHERE c.relpersistence <> 'p'
      UNION ALL SELECT s.relname || '.' || a.attname || ' has a type of its own' FROM named s JOIN pg_attribute a ON a.attrelid = s.oid AND a.attnum > 0
        AND NOT a.attisdropped JOIN pg_type t ON t.oid = a.atttypid WHERE t.typnamespace <> 'pg_catalog'::regnamespace ORDER BY 1`,
    [[...EVIDENCE_TABLES], PARTITIONED],
  );
  const missing = wrong.filter(({ name }) => name.endsWith(' is no table'));
  if (missing.length === EVIDENCE_TABLES.length) return problem('tables', NO_TABLES);
  return wrong.length === 0
    ? ok('tables', 'all are there, and outlive a crash')
    : problem('tables', `${wrong.map(({ name }) => name).join('; ')}. Find out who did that, and when.`);
}

/** Row security holds on the parents alone: nobody may be granted anything on a partition. A partition holds its month, and nothing else. */
export async function partitionCheck(ask: Ask, schema: string): Promise<Finding> {
  const of = `pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_class p ON p.oid = i.inhparent
    WHERE p.relnamespace = '"${schema}"'::regnamespace AND p.relname = ANY('{${PARTITIONED.join(',')}}')`;
  const open = await ask<{ name: string }>(
    `SELECT c.relname AS name FROM ${of} AND (EXISTS (SELECT FROM aclexplode(c.relacl) a WHERE a.grantee <> c.relowner)
        OR EXISTS (SELECT FROM pg_attribute t CROSS JOIN aclexplode(t.attacl) a WHERE t.attrelid = c.oid AND a.grantee <> c.relowner)) ORDER BY 1`,
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
  const wide = await ask<{ name: string }>(
    `SELECT name FROM (SELECT c.relname AS name, c.relnamespace, c.relpartbound, c.oid, p.relname AS parent,
        CASE WHEN c.relname ~ '^audit_(log|payload)_[0-9]{4}(0[1-9]|1[0-2])$' THEN to_date(right(c.relname, 6), 'YYYYMM')::timestamp END AS first FROM ${of}) m
      WHERE first IS NULL OR name <> parent || '_' || right(name, 6) OR relnamespace <> '"${schema}"'::regnamespace OR pg_get_expr(relpartbound, oid)
        <> format('FOR VALUES FROM (%L) TO (%L)', ${floor('first')}, ${floor("(first + interval '1 month')")}) ORDER BY 1`,
  );
  if (wide.length > 0) {
    return problem(
      'partitions',
      `not the month of their name: ${wide.map(({ name }) => `'${name}'`).join(', ')}. What is in them is neither kept nor let go with its month.`,
    );
  }
  return ok('partitions', 'each holds its month, nothing is granted on them, and none is a default');
}

// Not by the function of the schema, which may be another one by now.
const floor = (first: string): string =>
  `(lpad(to_hex((extract(epoch FROM ${first} AT TIME ZONE 'UTC') * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid`;

/** Whether a reader of one organization sees only that one's evidence, and who may see all does. */
export async function rowSecurityCheck(ask: Ask, schema: string): Promise<Finding> {
  const switched = await ask<{ name: string }>(
    `${named(schema, EVIDENCE_TABLES)} SELECT CASE WHEN c.relrowsecurity THEN 'on' ELSE 'off' END || ' for ' || s.relname AS name
      FROM named s JOIN pg_class c USING (oid) WHERE c.relrowsecurity <> (s.relname = ANY($1::text[])) ORDER BY 1`,
    [PARTITIONED],
  );
  if (switched.length > 0)
    return problem(
      'row security',
      `${switched.map(({ name }) => name).join(', ')}. Set it back: ALTER TABLE … ENABLE (or DISABLE) ROW LEVEL SECURITY.`,
    );
  const wrong = await wrongPolicies(ask, schema);
  if (wrong.length === 0)
    return ok('row security', 'readers see the organization they set, and nothing where they set none');
  return problem(
    'row security',
    `policies that are missing, changed or not of Gatehouse: ${wrong.join(', ')}. Drop those, and make the others again ('gatehouse roles').`,
  );
}

async function wrongPolicies(ask: Ask, schema: string): Promise<readonly string[]> {
  const found = await ask<{
    table: string;
    name: string;
    permissive: string;
    command: string;
    roles: string[];
    using: string | null;
    check: string | null;
  }>(
    `SELECT tablename AS "table", policyname AS name, permissive, cmd AS command, ARRAY(SELECT r::text FROM unnest(roles) r ORDER BY 1) AS roles,
      qual AS "using", with_check AS "check" FROM pg_policies WHERE schemaname = $1 AND tablename = ANY($2::text[])`,
    [schema, [...EVIDENCE_TABLES]],
  );
  const text = (table: string, name: string, ...more: (string | readonly string[] | null)[]): string =>
    JSON.stringify([table, name, ...more]);
  const made = (await expectedSchema(schema)).policies.map(({ table, name, command, condition }) =>
    text(table, name, 'PERMISSIVE', command, ['public'], condition, null),
  );
  const granted = rolePolicies(schema).map(({ table, name, command, roles }) =>
    text(
      table,
      name,
      'PERMISSIVE',
      command,
      [...roles].sort(),
      command === 'INSERT' ? null : 'true',
      command === 'INSERT' ? 'true' : null,
    ),
  );
  const there = new Map(
    found.map(({ table, name, permissive, command, roles, using, check }) => [
      text(table, name, permissive, command, roles, using && plainCondition(using), check && plainCondition(check)),
      `${table}.${name}`,
    ]),
  );
  const unknown = [...there].filter(([one]) => !made.includes(one) && !granted.includes(one)).map(([, name]) => name);
  const missing = made
    .filter((one) => !there.has(one))
    .map((one) => (JSON.parse(one) as string[]).slice(0, 2).join('.'));
  return [...new Set([...unknown, ...missing])].sort();
}

/** A foreign key would let a row elsewhere take evidence along. */
export async function foreignKeyCheck(ask: Ask, schema: string): Promise<Finding> {
  const found = await ask<{ name: string }>(
    `${named(schema, SEALED_TABLES)} SELECT conname AS name FROM pg_constraint WHERE contype = 'f' AND (conrelid IN (SELECT oid FROM named) OR confrelid IN (SELECT oid FROM named))`,
  );
  return found.length === 0
    ? ok('foreign keys', 'none leads to or from the evidence')
    : problem('foreign keys', `${found.map(({ name }) => name).join(', ')} can delete or block evidence. Drop them.`);
}
