import type { QueryRunner } from 'typeorm';
import { gatehouseMigrations } from '../../../../../../migrations/gatehouse.migrations.js';

/** A trigger as `pg_trigger` has it. */
export interface ExpectedTrigger {
  readonly table: string;
  readonly name: string;
  /** `tgtype`: when, on what, and for each of what. */
  readonly type: number;
  readonly procedure: string;
}

/** A function as `pg_proc` has it. */
export interface ExpectedFunction {
  readonly name: string;
  readonly language: string;
  readonly definer: boolean;
  readonly settings: string | null;
  readonly source: string;
}

/** A policy as `pg_policies` has it, but for the spelling of its condition: see `plainCondition`. */
export interface ExpectedPolicy {
  readonly table: string;
  readonly name: string;
  readonly command: string;
  readonly condition: string;
}

/** What the migrations make of a schema, as far as the evidence relies on it. */
export interface ExpectedSchema {
  readonly triggers: readonly ExpectedTrigger[];
  readonly functions: readonly ExpectedFunction[];
  readonly policies: readonly ExpectedPolicy[];
  /** The query of each view, by its name. */
  readonly views: ReadonlyMap<string, string>;
}

/** Read off the migrations themselves: their statements are taken down instead of run, so there is no second copy to keep true. */
export async function expectedSchema(schema: string): Promise<ExpectedSchema> {
  const made = new Map<string, ExpectedTrigger>();
  const functions = new Map<string, ExpectedFunction>();
  const policies: ExpectedPolicy[] = [];
  const views = new Map<string, string>();
  for (const statement of await statementsOf(schema)) {
    const [, verb, kind, name = '', on = ''] = HEAD.exec(statement) ?? [];
    if (kind === 'TRIGGER') {
      if (verb === 'DROP') made.delete(`${on}.${name}`);
      else made.set(`${on}.${name}`, trigger(statement, on, name));
    }
    if (kind === 'TABLE' && verb === 'DROP') for (const [key, { table }] of made) if (table === name) made.delete(key);
    if (kind === 'VIEW') {
      if (verb === 'DROP') views.delete(name);
      else views.set(name, statement.replace(/^CREATE VIEW .*?\) AS\s+/, ''));
    }
    if (kind === 'FUNCTION' && verb === 'CREATE') functions.set(name, procedure(statement, name));
    if (kind === 'POLICY') policies.push(policy(statement, on, name));
  }
  return { triggers: [...made.values()], functions: [...functions.values()], policies, views };
}

async function statementsOf(schema: string): Promise<readonly string[]> {
  const statements: string[] = [];
  // Of a runner, migrations use `query` alone.
  const recorder = {
    query: (text: string) => Promise.resolve(statements.push(text.trim())),
  } as unknown as QueryRunner;
  for (const Migration of gatehouseMigrations(schema)) await new Migration().up(recorder);
  return statements;
}

const HEAD =
  /^(CREATE|DROP)(?: OR REPLACE)? (TABLE|VIEW|FUNCTION|TRIGGER|POLICY) (?:"\w+"\.)?(\w+)(?:[^$]*? ON "\w+"\.(\w+))?/;

const ON = { INSERT: 4, DELETE: 8, UPDATE: 16, TRUNCATE: 32 } as const;

function trigger(statement: string, table: string, name: string): ExpectedTrigger {
  const [, before, events = '', each, called = ''] =
    /(BEFORE|AFTER) ([A-Z ]+) ON \S+\s+FOR EACH (ROW|STATEMENT) EXECUTE FUNCTION "\w+"\.(\w+)/.exec(statement) ?? [];
  const on = Object.entries(ON).filter(([event]) => events.includes(event));
  const type = on.reduce((sum, [, bit]) => sum + bit, (each === 'ROW' ? 1 : 0) + (before === 'BEFORE' ? 2 : 0));
  return { table, name, type, procedure: called };
}

function procedure(statement: string, name: string): ExpectedFunction {
  const [head = '', source = ''] = statement.split('$body$');
  return {
    name,
    language: /LANGUAGE (\w+)/.exec(head)?.[1] ?? '',
    definer: head.includes('SECURITY DEFINER'),
    settings: / SET (\w+) = (.+?) AS $/.exec(head)?.slice(1).join('=') ?? null,
    source,
  };
}

function policy(statement: string, table: string, name: string): ExpectedPolicy {
  const [, command = '', condition = ''] = / FOR (\w+)\s+USING (.+)$/s.exec(statement) ?? [];
  return { table, name, command, condition: plainCondition(condition) };
}

/** A condition without the casts, parentheses, spaces and capitals in which Postgres spells it differently. */
export const plainCondition = (condition: string): string =>
  condition
    .replace(/::\w+/g, '')
    .replace(/[\s()]/g, '')
    .toLowerCase();
