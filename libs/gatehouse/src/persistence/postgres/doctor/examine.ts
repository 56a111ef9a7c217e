import { checkedSchema } from '../../../../../../migrations/schema.name.js';
import type { Ask } from './ask.js';
import type { Finding } from './finding.js';
import { anchorCheck, factCheck, lossCheck, monthCheck, sealCheck, serverCheck } from './flow.checks.js';
import { foreignKeyCheck, grantCheck, partitionCheck, rowSecurityCheck, triggerCheck } from './protection.checks.js';

/** Looks at everything the evidence relies on, with the rights of whoever asks. Reads only. */
export async function examine(ask: Ask, schema: string): Promise<readonly Finding[]> {
  const name = checkedSchema(schema);
  const findings: Finding[] = [];
  for (const check of [
    triggerCheck,
    grantCheck,
    partitionCheck,
    rowSecurityCheck,
    foreignKeyCheck,
    monthCheck,
    factCheck,
    sealCheck,
    anchorCheck,
    lossCheck,
  ]) {
    findings.push(await check(ask, name));
  }
  return [...findings, await serverCheck(ask)];
}
