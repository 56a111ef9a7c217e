import { checkedSchema } from '../../../../../../migrations/schema.name.js';
import type { Ask } from './ask.js';
import { problem, type Finding } from './finding.js';
import { anchorCheck, factCheck, lossCheck, monthCheck, sealCheck, serverCheck } from './flow.checks.js';
import { grantCheck } from './grant.checks.js';
import { foreignKeyCheck, partitionCheck, rowSecurityCheck, NO_TABLES, tableCheck } from './protection.checks.js';
import { functionCheck, triggerCheck } from './trigger.checks.js';
import { viewCheck } from './view.checks.js';

/** Looks at everything the evidence relies on, with the rights of whoever asks. Changes nothing, and leaves nothing. */
export async function examine(ask: Ask, schema: string): Promise<readonly Finding[]> {
  const name = checkedSchema(schema);
  const findings: Finding[] = [];
  for (const check of [
    tableCheck,
    triggerCheck,
    functionCheck,
    viewCheck,
    grantCheck,
    partitionCheck,
    rowSecurityCheck,
    foreignKeyCheck,
  ]) {
    findings.push(await check(ask, name));
  }
  const [tables] = findings;
  for (const [flow, check] of Object.entries(FLOWS)) {
    findings.push(await check(ask, name).catch((error: unknown) => unreadable(flow, tables, error)));
  }
  return [...findings, await serverCheck(ask)];
}

const FLOWS = {
  months: monthCheck,
  facts: factCheck,
  seal: sealCheck,
  anchors: anchorCheck,
  losses: lossCheck,
} as const;

/** What cannot be read because something is in the way of it is no reason to stop. */
function unreadable(check: string, tables: Finding | undefined, error: unknown): Finding {
  if (tables?.verdict !== 'problem' || tables.detail === NO_TABLES) throw error;
  return problem(check, 'could not be looked at: see tables');
}
