import type { ApprovalPolicy } from '../contracts/approval.policy.js';
import type { ToolCall } from '../contracts/tool.call.js';
import { decoratedMethod } from './decorated.method.js';
import { OptionChecks } from './option.checks.js';
import { markApproval, markClassApproval, type StoredPolicy } from './tool.metadata.js';

type FirstOf<Method> = Method extends (first: infer First, ...rest: never[]) => unknown ? First : never;

/** Stands on a tool method or on a class. A policy that reads arguments the method does not take does not compile. */
export interface ApprovalDecorator<Args> {
  <Method extends (args: never, call: ToolCall) => unknown>(
    target: object,
    key: string | symbol,
    descriptor: TypedPropertyDescriptor<Method> & (FirstOf<Method> extends Args ? unknown : never),
  ): void;
  (target: abstract new (...args: never[]) => unknown): void;
}

const POLICY = ['when', 'approvers', 'expiresIn', 'executeWithin', 'editable', 'summary', 'risk'];
const APPROVERS = ['roles', 'notRequester', 'quorum'];

/**
 * A person decides before this tool runs: always, or for the arguments that `when` names. On a class it holds for all its tools that say
 * nothing of their own. Above or below `@Tool` makes no difference. An override inherits it.
 *
 * Throws `ConfigurationError` for a policy that cannot be kept.
 *
 * @example
 * ```ts
 * @DestructiveTool('Refund an order')
 * @RequireApproval({ when: (a: RefundDto) => a.amount > 100, approvers: { roles: ['finance'], notRequester: true } })
 * refund(args: RefundDto) { … }
 * ```
 */
export function RequireApproval<Args = unknown>(policy: ApprovalPolicy<Args> = {}): ApprovalDecorator<Args> {
  return (target: object, key?: string | symbol, descriptor?: PropertyDescriptor): void => {
    if (key === undefined) {
      const label = (target as { readonly name?: string }).name ?? 'a class';
      return markClassApproval(target, checkedPolicy(new OptionChecks('@RequireApproval', label), policy));
    }
    const at = decoratedMethod('@RequireApproval', target, key, descriptor);
    markApproval(at, checkedPolicy(new OptionChecks('@RequireApproval', at.label), policy));
  };
}

function checkedPolicy<Args>(checks: OptionChecks, policy: ApprovalPolicy<Args>): StoredPolicy {
  if (typeof policy !== 'object' || policy === null) throw checks.refuse('it takes a policy object, or nothing.');
  checks.onlyKeys(policy, POLICY);
  checks.callback(policy, 'when');
  checks.callback(policy, 'summary');
  checks.duration(policy.expiresIn, 'expiresIn');
  checks.duration(policy.executeWithin, 'executeWithin');
  checks.names(policy.editable, 'editable');
  checks.oneOf(policy.risk, 'risk', ['low', 'medium', 'high']);
  const approvers = checkedApprovers(checks, policy);
  const editable = policy.editable && Object.freeze([...policy.editable]);
  return Object.freeze({ ...policy, ...(approvers && { approvers }), ...(editable && { editable }) });
}

function checkedApprovers<Args>(checks: OptionChecks, { approvers, editable }: ApprovalPolicy<Args>) {
  if (approvers === undefined) return undefined;
  if (typeof approvers !== 'object' || approvers === null)
    throw checks.refuse('approvers must be { roles, notRequester, quorum }.');
  checks.onlyKeys(approvers, APPROVERS);
  checks.names(approvers.roles, 'approvers.roles');
  checks.flag(approvers.notRequester, 'approvers.notRequester');
  checks.count(approvers.quorum, 'approvers.quorum', 1);
  const onePerson = (approvers.quorum ?? 1) === 1 && approvers.notRequester !== true;
  if (editable !== undefined && !onePerson) {
    throw checks.refuse('editable needs a single approver: leave out quorum and notRequester, or editable.');
  }
  return Object.freeze({ ...approvers, ...(approvers.roles && { roles: Object.freeze([...approvers.roles]) }) });
}
