import { Injectable, Logger } from '@nestjs/common';
import type { Awaitable } from '../contracts/awaitable.js';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import { ToolGuard } from '../contracts/ports/tool.guard.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import type { ToolCall } from '../contracts/tool.call.js';
import type { ToolDefinition, ToolGate, UnjudgedTool } from '../contracts/tool.definition.js';
import { describeError, errorName } from '../values/error-text.js';
import { within } from '../values/within.js';
import { judgeDestructive, onlyHintsDestruction } from './destructive.js';
import { free, gated, gateRule } from './gate.rules.js';

/** Gates by `guard`, by `@RequireApproval` and by what tools say of themselves. Whatever goes wrong gates. */
@Injectable()
export class DefaultToolGuard extends ToolGuard {
  private readonly logger = new Logger('gatehouse.guard');
  private readonly ungatedDestructive = new Set<string>();
  private readonly warnedOf = new Set<string>();

  constructor(private readonly options: ResolvedOptions) {
    super();
  }

  /** @throws ConfigurationError for `@RequireApproval` while `guard` was left out */
  override judge(tool: UnjudgedTool): { readonly destructive: boolean; readonly gate: ToolGate } {
    const { guard } = this.options;
    if (guard === undefined && tool.approval !== undefined) throw guardLeftOut(tool);
    const verdict = judgeDestructive(tool);
    const rule = gateRule(tool, guard, verdict);
    if (verdict.destructive && tool.kind === 'function' && guard?.enabled !== true)
      this.ungatedDestructive.add(tool.name);
    if (guard?.enabled === true && !verdict.destructive && onlyHintsDestruction(tool)) this.warnOfHint(tool);
    return { destructive: verdict.destructive, gate: 'when' in rule ? gated(rule.when) : rule };
  }

  override decide(tool: ToolDefinition, args: unknown, call: ToolCall): Awaitable<ToolGate> {
    const rule = gateRule(tool, this.options.guard, { destructive: tool.destructive, why: tool.gate.why });
    return 'when' in rule ? this.askTool(tool, args, call) : rule;
  }

  /**
   * To be called with the names of all tools, once they are known and after each change. Warns of names that fit no tool, and once of
   * destructive tools that nothing gates.
   *
   * @param namespaces of remote sources, whose tools may come later
   * @throws ConfigurationError for a name in `guard.requireApproval` that no tool has
   */
  override checkNames(names: readonly string[], namespaces: readonly string[] = []): void {
    const { exempt = [], requireApproval = [] } = this.options.guard ?? {};
    for (const name of missing(requireApproval, names)) {
      if (!namespaces.some((namespace) => isUnder(name, namespace))) throw unknownName(name, names);
      this.warn(`guard.requireApproval names '${name}', which its source does not offer (yet).`);
    }
    for (const name of missing(exempt, names)) this.warn(`guard.exempt names '${name}', and there is no such tool.`);
    this.warnOfUngated();
  }

  private async askTool(tool: ToolDefinition, args: unknown, call: ToolCall): Promise<ToolGate> {
    const timeoutMs = this.options.limits.decisionTimeout;
    try {
      const answer: unknown = await within(
        tool.approval?.when?.(args, call),
        timeoutMs,
        () => new LateAnswer(timeoutMs),
      );
      if (answer === false) return free('@RequireApproval, its when said no');
      return gated(
        answer === true
          ? '@RequireApproval, its when said yes'
          : '@RequireApproval, its when said neither true nor false',
      );
    } catch (error) {
      this.logger.warn(
        `@RequireApproval of tool '${tool.name}': its when failed, so the call is gated: ${describeError(error)}`,
      );
      const how = error instanceof LateAnswer ? `did not answer within ${timeoutMs} ms` : `threw ${errorName(error)}`;
      return gated(`@RequireApproval, its when ${how}`);
    }
  }

  private warnOfUngated(): void {
    const names = [...this.ungatedDestructive].filter((name) => !this.warnedOf.has(name));
    if (names.length === 0) return;
    names.forEach((name) => this.warnedOf.add(name));
    const state = this.options.guard === undefined ? 'no guard is configured' : 'guard.enabled is false';
    this.logger.warn(`Destructive tools run without anybody's approval (${state}): ${names.join(', ')}.`);
  }

  private warnOfHint({ name }: UnjudgedTool): void {
    this.warn(
      `Tool '${name}' hints destructiveHint: true, which gates nothing by itself: ` +
        `say readOnlyHint: false, destructive: true, or list it in guard.requireApproval.`,
    );
  }

  // The names are checked again after each registration: said once is enough.
  private warn(message: string): void {
    if (this.warnedOf.has(message)) return;
    this.warnedOf.add(message);
    this.logger.warn(message);
  }
}

class LateAnswer extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
  }
}

const missing = (wanted: readonly string[], names: readonly string[]): readonly string[] =>
  wanted.filter((name) => !names.includes(name));

const isUnder = (name: string, namespace: string): boolean =>
  name.startsWith(namespace) && /^[_.-]/.test(name.slice(namespace.length));

const guardLeftOut = ({ name, source }: UnjudgedTool): ConfigurationError =>
  new ConfigurationError(
    `Tool '${name}' (${source}) has @RequireApproval, but 'guard' was left out, so nobody would be asked. ` +
      `Write guard: { enabled: true }, or guard: { enabled: false } if that is meant.`,
  );

const unknownName = (name: string, names: readonly string[]): ConfigurationError =>
  new ConfigurationError(
    `guard.requireApproval names '${name}', and there is no such tool. Tools: ${names.join(', ') || 'none'}. ` +
      `Correct the name, or take it out.`,
  );
