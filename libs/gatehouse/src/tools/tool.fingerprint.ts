import type { ApprovalPolicy } from '../contracts/approval.policy.js';
import type { JsonObject, JsonSchema } from '../contracts/json.js';
import { fingerprint, sha256Hex } from '../values/digest.js';

/** What makes a tool the tool that was approved. */
export interface ToolIdentity {
  readonly source: string;
  readonly parameters: JsonSchema;
  readonly destructive: boolean;
  readonly approval?: ApprovalPolicy;
}

// Version of what is covered. A change of layout takes the next number.
const LAYOUT = 1;

/** SHA-256 over source, schema and policy, functions by their text. Another one makes approvals given before void. */
export const toolFingerprint = ({ source, parameters, destructive, approval }: ToolIdentity): string =>
  fingerprint([LAYOUT, source, parameters, destructive, approval === undefined ? null : policyText(approval)]);

const policyText = (policy: ApprovalPolicy): JsonObject =>
  JSON.parse(
    JSON.stringify(policy, (_key, value: unknown) => (typeof value === 'function' ? sha256Hex(String(value)) : value)),
  ) as JsonObject;
