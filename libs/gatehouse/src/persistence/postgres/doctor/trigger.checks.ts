import type { Ask } from './ask.js';
import { EVIDENCE_TABLES, named } from './evidence.tables.js';
import { expectedSchema } from './expected.schema.js';
import { ok, problem, type Finding } from './finding.js';

/** Whether the triggers stand that refuse changes and hand facts on, on every table and partition, always; and no others. */
export async function triggerCheck(ask: Ask, schema: string): Promise<Finding> {
  const { triggers } = await expectedSchema(schema);
  const wrong = await ask<{ name: string }>(
    `${named(schema, EVIDENCE_TABLES)}, wanted AS (
        SELECT s.oid, s.relname, t.* FROM named s JOIN jsonb_to_recordset($1::jsonb) AS t("table" text, name text, type integer, procedure text) ON t."table" = s.base
      ), found AS (
        SELECT s.oid, s.relname, g.tgname AS name, g.tgenabled = 'A' AND g.tgqual IS NULL AND g.tgnargs = 0 AND g.tgattr = '' AS whole, g.tgtype AS type,
          CASE WHEN f.pronamespace = '"${schema}"'::regnamespace AND f.pronargs = 0 THEN f.proname END AS procedure
        FROM named s JOIN pg_trigger g ON g.tgrelid = s.oid AND NOT g.tgisinternal JOIN pg_proc f ON f.oid = g.tgfoid)
      SELECT w.relname || '.' || w.name || CASE WHEN f.oid IS NULL THEN ' is missing' ELSE ' is disabled, changed or not ALWAYS' END AS name
        FROM wanted w LEFT JOIN found f ON f.oid = w.oid AND f.name = w.name
        WHERE f.oid IS NULL OR NOT (f.whole AND f.type = w.type AND f.procedure IS NOT DISTINCT FROM w.procedure)
      UNION ALL SELECT f.relname || '.' || f.name || ' is not of Gatehouse' FROM found f
        WHERE NOT EXISTS (SELECT FROM wanted w WHERE w.oid = f.oid AND w.name = f.name)
      UNION ALL SELECT s.relname || '.' || r.rulename || ' is a rule' FROM named s JOIN pg_rewrite r ON r.ev_class = s.oid WHERE r.rulename <> '_RETURN'
      ORDER BY 1`,
    [JSON.stringify(triggers)],
  );
  if (wrong.length === 0)
    return ok('triggers', 'changes are refused on every table and partition of the evidence, always');
  return problem(
    'triggers',
    `${wrong.map(({ name }) => name).join('; ')}. Enable or make them again as the migrations do, and drop what they do not make.`,
  );
}

/** Whether the functions do what the migrations made them do: a trigger is worth what it calls. */
export async function functionCheck(ask: Ask, schema: string): Promise<Finding> {
  const { functions } = await expectedSchema(schema);
  const wrong = await ask<{ name: string }>(
    `SELECT DISTINCT w.name FROM jsonb_to_recordset($1::jsonb) AS w(name text, language text, definer boolean, settings text, source text)
      LEFT JOIN pg_proc f ON f.proname = w.name AND f.pronamespace = '"${schema}"'::regnamespace LEFT JOIN pg_language l ON l.oid = f.prolang
      WHERE f.oid IS NULL OR f.prosrc <> w.source OR l.lanname <> w.language OR f.prosecdef <> w.definer
        OR array_to_string(f.proconfig, ';') IS DISTINCT FROM w.settings ORDER BY 1`,
    [JSON.stringify(functions)],
  );
  if (wrong.length === 0) return ok('functions', 'those that the triggers call are the ones of the migrations');
  return problem(
    'functions',
    `missing, or not the ones of this version's migrations: ${wrong.map(({ name }) => name).join(', ')}. Make them again as the migrations do.`,
  );
}
