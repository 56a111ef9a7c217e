import type { GuardOptions } from '../contracts/options.js';
import type { ToolGate, UnjudgedTool } from '../contracts/tool.definition.js';
import type { DestructiveVerdict } from './destructive.js';

/** What is decided without looking at arguments: gated or not, or up to the tool's own `when`. */
export type GateRule = ToolGate | { readonly when: string };

/** What the rules look at. */
export type RuledTool = Pick<UnjudgedTool, 'name' | 'kind' | 'approval'>;

/** The rules of the gate, in their order: the first that applies decides. */
export function gateRule(
  tool: RuledTool,
  guard: Required<GuardOptions> | undefined,
  destructive: DestructiveVerdict,
): GateRule {
  if (tool.kind !== 'function') return free(`${tool.kind} tools are never gated`);
  if (guard?.enabled !== true) return free(guard === undefined ? 'no guard is configured' : 'the guard is off');
  if (guard.exempt.includes(tool.name)) return free('exempt');
  if (guard.requireApproval.includes(tool.name)) return gated('requireApproval');
  if (tool.approval?.when !== undefined) {
    return {
      when: `@RequireApproval, when its arguments say so${destructive.destructive ? ' (this replaces: destructive)' : ''}`,
    };
  }
  if (tool.approval !== undefined) return gated('@RequireApproval');
  return destructive.destructive ? gated(destructive.why) : free(destructive.why);
}

export const gated = (why: string): ToolGate => Object.freeze({ gated: true, why });
export const free = (why: string): ToolGate => Object.freeze({ gated: false, why });
