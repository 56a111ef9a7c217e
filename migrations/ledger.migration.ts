import type { MigrationInterface, QueryRunner } from 'typeorm';
import { approvalFacts, ledgerNameFunction } from './ledger/approval.facts.js';
import { moveFirstCut } from './ledger/first.cut.js';
import { keepingFunctions, rowSecurity } from './ledger/log.keeping.js';
import { logGuards } from './ledger/log.guards.js';
import { firstMonths, monthFunctions } from './ledger/log.months.js';
import { evidenceStateTables, logTables, sealTables } from './ledger/log.tables.js';
import { approvalView } from './ledger/approval.view.js';
import { LOG_VIEWS, logViews } from './ledger/log.views.js';
import { appendOnly, firstCutTables } from './evidence.migration.js';
import { checkedSchema } from './schema.name.js';
import { firstApproval, firstTimeline } from './views.migration.js';

/**
 * The sealed log: what the first cut kept in tables of its own moves over through the outbox, and is read by views of the same names.
 *
 * Its undoing makes the first cut's tables again, empty: evidence that was sealed cannot be unsealed, and is gone with the log.
 */
export function ledgerMigration(schema: string): new () => MigrationInterface {
  const s = `"${checkedSchema(schema)}"`;
  return class Ledger implements MigrationInterface {
    readonly name = 'GatehouseLedger1767225600004';

    async up(runner: QueryRunner): Promise<void> {
      await runAll(runner, [
        `DROP VIEW ${s}.run_timeline`,
        `DROP VIEW ${s}.approval`,
        ...logTables(s),
        ...sealTables(s),
        ...evidenceStateTables(s),
        ...monthFunctions(s),
        ledgerNameFunction(s),
        ...logGuards(s),
        ...keepingFunctions(s),
        ...rowSecurity(s),
        ...moveFirstCut(s),
        ...approvalFacts(s),
        ...logViews(s),
        approvalView(s),
        ...firstMonths(s),
      ]);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runAll(runner, [
        `DROP VIEW ${s}.approval`,
        ...LOG_VIEWS.map((view) => `DROP VIEW ${s}.${view}`),
        `DROP TRIGGER approval_event_fact ON ${s}.approval_event`,
        `DROP TRIGGER append_only ON ${s}.approval_event`,
        ...appendOnly(s, 'approval_event').filter((statement) => statement.includes('append_only')),
        ...TABLES.map((table) => `DROP TABLE ${s}.${table}`),
        ...FUNCTIONS.map((signature) => `DROP FUNCTION ${s}.${signature}`),
        ...firstCutTables(s),
        ...FIRST_CUT.flatMap((table) => appendOnly(s, table)),
        firstApproval(s),
        firstTimeline(s),
      ]);
    }
  };
}

const FIRST_CUT = ['tool_execution', 'operation', 'terminal_record'];
const TABLES = [
  'legal_hold',
  'evidence_writer',
  'evidence_outbox',
  'audit_anchor',
  'audit_checkpoint',
  'audit_tile',
  'audit_leaf',
  'audit_batch',
  'audit_payload',
  'audit_log',
];
const FUNCTIONS = [
  'hand_on_approval_event()',
  'refuse_unrecorded_erasure()',
  'refuse_change_but_erasure()',
  'ledger_name(text)',
  'drop_month(text)',
  'ensure_month(timestamptz)',
  'uuid_instant(uuid)',
  'uuid_v7()',
  'uuid_floor(timestamptz)',
];

async function runAll(runner: QueryRunner, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await runner.query(statement);
}
