import type { ApprovalPolicy } from './approval.policy.js';
import type { JsonObject, JsonSchema } from './json.js';

/** Whether a person must decide, and which rule says so. */
export interface ToolGate {
  readonly gated: boolean;
  readonly why: string;
}

/** One tool as it stands in the registry. Frozen. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; a destructive tool's carries `x-destructive: true` at its root. */
  readonly parameters: JsonSchema;
  readonly kind: 'function' | 'external' | 'output';
  /** `Class#method`, or the namespace of a remote source. */
  readonly source: string;
  readonly destructive: boolean;
  readonly gate: ToolGate;
  readonly annotations: JsonObject;
  readonly metadata: JsonObject;
  /** The policy of `@RequireApproval`, where there is one. */
  readonly approval?: ApprovalPolicy;
  /** Changes when source, schema or policy change: an approval given before is void. */
  readonly fingerprint: string;
}

/** A definition before the gate has judged it. */
export type UnjudgedTool = Omit<ToolDefinition, 'gate' | 'destructive' | 'fingerprint'> & {
  /** `@DestructiveTool`, `destructive: true | false`, or nothing said. */
  readonly declaredDestructive?: boolean;
};
