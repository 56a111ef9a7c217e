import type { Ask } from './ask.js';
import { expectedSchema } from './expected.schema.js';
import { ok, problem, warning, type Finding } from './finding.js';

const DIFFERENT = 'GHVWS';

/** Whether the views are there, show what they were made to show, and show it with the rights of who asks. */
export async function viewCheck(ask: Ask, schema: string): Promise<Finding> {
  const views = [...(await expectedSchema(schema)).views];
  const wrong = await ask<{ name: string }>(
    `SELECT w.name || CASE WHEN c.oid IS NULL THEN ' is missing' WHEN c.relkind <> 'v' THEN ' is no view' ELSE ' is not security_invoker' END AS name
      FROM unnest($1::text[]) AS w(name) LEFT JOIN pg_class c ON c.relname = w.name AND c.relnamespace = '"${schema}"'::regnamespace
      WHERE c.oid IS NULL OR c.relkind <> 'v' OR NOT 'security_invoker=true' = ANY(coalesce(c.reloptions, '{}')) ORDER BY 1`,
    [views.map(([name]) => name)],
  );
  const advice = 'Make them again as the migrations do.';
  if (wrong.length > 0) return problem('views', `${wrong.map(({ name }) => name).join('; ')}. ${advice}`);
  try {
    await ask(comparison(schema, views));
  } catch (error) {
    const { code, detail } = serverError(error);
    if (code === DIFFERENT) return problem('views', `not the ones of this version's migrations: ${detail}. ${advice}`);
    return warning(
      'views',
      `whether they are those of the migrations could not be compared with these rights (${code})`,
    );
  }
  return ok('views', 'they are the ones of the migrations, and show what who asks may see');
}

// Only the server knows how it spells a query: it makes each once more as a temporary view, which is gone with the statement.
const comparison = (schema: string, views: readonly (readonly [string, string])[]): string => `DO $doctor$
DECLARE
  wrong text[] := '{}';
BEGIN
${views
  .map(
    ([name, query]) => `  CREATE TEMPORARY VIEW gatehouse_doctor AS ${query};
  IF pg_get_viewdef('pg_temp.gatehouse_doctor'::regclass) <> pg_get_viewdef('"${schema}".${name}'::regclass) THEN wrong := wrong || '${name}'::text; END IF;
  DROP VIEW pg_temp.gatehouse_doctor;`,
  )
  .join('\n')}
  IF cardinality(wrong) > 0 THEN
    RAISE EXCEPTION 'views differ' USING ERRCODE = '${DIFFERENT}', DETAIL = array_to_string(wrong, ', ');
  END IF;
END $doctor$`;

function serverError(error: unknown): { readonly code: string; readonly detail: string } {
  const { code, detail } = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
  return { code: typeof code === 'string' ? code : 'unknown', detail: typeof detail === 'string' ? detail : '' };
}
