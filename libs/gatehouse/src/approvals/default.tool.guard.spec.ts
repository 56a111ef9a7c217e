import type { ApprovalPolicy } from '../contracts/approval.policy.js';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import type { GuardOptions } from '../contracts/options.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import type { ToolCall } from '../contracts/tool.call.js';
import type { ToolDefinition, ToolGate, UnjudgedTool } from '../contracts/tool.definition.js';
import { captureLog } from '../testing/captured.log.js';
import { DefaultToolGuard } from './default.tool.guard.js';

const ON: GuardOptions = { enabled: true };
const CALL = {} as ToolCall;

function guard(options: GuardOptions | undefined, decisionTimeout = 1000): DefaultToolGuard {
  const complete = options && { exempt: [], requireApproval: [], ...options };
  return new DefaultToolGuard({ guard: complete, limits: { decisionTimeout } } as unknown as ResolvedOptions);
}

function tool(changes: Partial<UnjudgedTool> = {}): UnjudgedTool {
  return {
    name: 'drop',
    description: 'Drops it',
    parameters: { type: 'object' },
    kind: 'function',
    source: 'Tools#drop',
    annotations: {},
    metadata: {},
    ...changes,
  };
}

const gateOf = (options: GuardOptions | undefined, changes: Partial<UnjudgedTool> = {}): ToolGate =>
  guard(options).judge(tool(changes)).gate;

const log = captureLog();
beforeEach(() => void (log.lines.length = 0));
afterAll(() => log.release());

describe('DefaultToolGuard, at registration', () => {
  it.each<[string, Partial<UnjudgedTool>, boolean, string]>([
    ['[165] a destructive tool', { declaredDestructive: true }, true, 'declared destructive'],
    ['[165] a plain tool', {}, false, 'not destructive'],
    [
      '[166] metadata key true',
      { metadata: { 'gatehouse.destructive': true } },
      true,
      "metadata 'gatehouse.destructive'",
    ],
    ['[166] metadata key false', { metadata: { 'gatehouse.destructive': false } }, false, 'not destructive'],
    ['[166] metadata key "true"', { metadata: { 'gatehouse.destructive': 'true' } }, false, 'not destructive'],
    ['[167] readOnlyHint false', { annotations: { readOnlyHint: false } }, true, 'readOnlyHint: false'],
    [
      '[167] readOnlyHint false in metadata',
      { metadata: { annotations: { readOnlyHint: false } } },
      true,
      'readOnlyHint: false',
    ],
    ['[167] readOnlyHint true', { annotations: { readOnlyHint: true } }, false, 'not destructive'],
    ['[167] annotations a string', { metadata: { annotations: 'readOnlyHint' } }, false, 'not destructive'],
    ['[168] root stamp', { parameters: { 'x-destructive': true } }, true, "'x-destructive' of its schema"],
    ['[169] nested stamp', { parameters: { properties: { a: { 'x-destructive': true } } } }, false, 'not destructive'],
    ['[171] readOnlyHint 0', { annotations: { readOnlyHint: 0 } }, false, 'not destructive'],
    ['[171] readOnlyHint "false"', { annotations: { readOnlyHint: 'false' } }, false, 'not destructive'],
    [
      'an explicit false over hints and stamp',
      { declaredDestructive: false, annotations: { readOnlyHint: false }, parameters: { 'x-destructive': true } },
      false,
      'declared not destructive',
    ],
    [
      'a remote tool that says it is harmless',
      { source: 'crm', declaredDestructive: false },
      true,
      "tool of the remote source 'crm'",
    ],
    [
      'a required approval over an explicit false',
      { declaredDestructive: false, approval: {} },
      true,
      '@RequireApproval',
    ],
  ])('%s', (_, changes, gated, why) => {
    expect(gateOf(ON, changes)).toEqual({ gated, why });
  });

  it('[170] destructiveHint alone gates nothing, and is warned of', () => {
    expect(gateOf(ON, { annotations: { destructiveHint: true } })).toEqual({ gated: false, why: 'not destructive' });
    expect(log.lines).toEqual([
      {
        level: 'warn',
        context: 'gatehouse.guard',
        message:
          "Tool 'drop' hints destructiveHint: true, which gates nothing by itself: " +
          'say readOnlyHint: false, destructive: true, or list it in guard.requireApproval.',
      },
    ]);
  });

  it('[172] requireApproval gates a plain tool; [173] exempt frees by every vocabulary; [174] exempt wins', () => {
    expect(gateOf({ enabled: true, requireApproval: ['drop'] })).toEqual({ gated: true, why: 'requireApproval' });
    const exempt = { enabled: true, exempt: ['drop'], requireApproval: ['drop'] };
    const vocabularies: Partial<UnjudgedTool>[] = [
      { declaredDestructive: true },
      { metadata: { 'gatehouse.destructive': true } },
      { annotations: { readOnlyHint: false } },
      { parameters: { 'x-destructive': true } },
      { approval: {} },
      { source: 'crm' },
    ];
    for (const one of vocabularies) expect(gateOf(exempt, one)).toEqual({ gated: false, why: 'exempt' });
  });

  it.each(['external', 'output'] as const)('[175] kind %s is never gated', (kind) => {
    const listed = { enabled: true, requireApproval: ['drop'] };
    expect(gateOf(listed, { kind, declaredDestructive: true })).toEqual({
      gated: false,
      why: `${kind} tools are never gated`,
    });
  });

  it('[163] without a guard nothing is gated; [164] nor with enabled: false', () => {
    expect(gateOf(undefined, { declaredDestructive: true })).toEqual({ gated: false, why: 'no guard is configured' });
    expect(gateOf({ enabled: false }, { declaredDestructive: true, approval: {} })).toEqual({
      gated: false,
      why: 'the guard is off',
    });
  });

  it('[377] a when replaces the destructive default, says so, and leaves the tool destructive', () => {
    const judged = guard(ON).judge(tool({ declaredDestructive: true, approval: { when: () => true } }));
    expect(judged).toEqual({
      destructive: true,
      gate: { gated: true, why: '@RequireApproval, when its arguments say so (this replaces: destructive)' },
    });
  });

  it('@RequireApproval while guard was left out is a configuration error', () => {
    expect(() => guard(undefined).judge(tool({ approval: {} }))).toThrow(
      new ConfigurationError(
        "Tool 'drop' (Tools#drop) has @RequireApproval, but 'guard' was left out, so nobody would be asked. " +
          'Write guard: { enabled: true }, or guard: { enabled: false } if that is meant.',
      ),
    );
  });

  it('an unknown name in requireApproval is a configuration error, under a declared namespace a WARN', () => {
    const listing = guard({ enabled: true, requireApproval: ['crm.delete'] });
    expect(() => listing.checkNames(['drop'])).toThrow(
      new ConfigurationError(
        "guard.requireApproval names 'crm.delete', and there is no such tool. Tools: drop. Correct the name, or take it out.",
      ),
    );
    expect(() => listing.checkNames(['drop'], ['cr'])).toThrow(ConfigurationError);
    listing.checkNames(['drop'], ['crm']);
    expect(log.lines.map(({ message }) => message)).toEqual([
      "guard.requireApproval names 'crm.delete', which its source does not offer (yet).",
    ]);
  });

  it('an unknown name in exempt is a WARN, said once', () => {
    const listing = guard({ enabled: true, exempt: ['dorp'] });
    listing.checkNames(['drop']);
    listing.checkNames(['drop']);
    expect(log.lines.map(({ message }) => message)).toEqual(["guard.exempt names 'dorp', and there is no such tool."]);
  });

  it.each([
    [{ enabled: false }, 'guard.enabled is false'],
    [undefined, 'no guard is configured'],
  ])('with guard %p one WARN names the destructive tools, later only new ones', (options, state) => {
    const off = guard(options);
    off.judge(tool({ declaredDestructive: true }));
    off.judge(tool({ name: 'look' }));
    off.judge(tool({ name: 'wipe', annotations: { readOnlyHint: false } }));
    off.checkNames(['drop', 'look', 'wipe']);
    off.judge(tool({ name: 'late', declaredDestructive: true }));
    off.checkNames(['drop', 'look', 'wipe', 'late']);
    expect(log.lines.map(({ message }) => message)).toEqual([
      `Destructive tools run without anybody's approval (${state}): drop, wipe.`,
      `Destructive tools run without anybody's approval (${state}): late.`,
    ]);
  });
});

describe('DefaultToolGuard, for one call', () => {
  const decide = async (
    options: GuardOptions,
    approval: ApprovalPolicy,
    args: unknown = {},
    timeoutMs = 1000,
  ): Promise<ToolGate> => {
    const judging = guard(options, timeoutMs);
    const unjudged = tool({ approval, declaredDestructive: true });
    const definition: ToolDefinition = { ...unjudged, ...judging.judge(unjudged), fingerprint: 'f' };
    return judging.decide(definition, args, CALL);
  };

  it('[377] asks the predicate of the tool with the arguments and the call', async () => {
    const when = (args: unknown, call: ToolCall): boolean => call === CALL && (args as { amount: number }).amount > 100;
    expect(await decide(ON, { when }, { amount: 50 })).toEqual({
      gated: false,
      why: '@RequireApproval, its when said no',
    });
    expect(await decide(ON, { when }, { amount: 150 })).toEqual({
      gated: true,
      why: '@RequireApproval, its when said yes',
    });
    expect(await decide(ON, { when: async () => false })).toMatchObject({ gated: false });
  });

  it('a predicate that throws gates, and is logged', async () => {
    const when = (): boolean => {
      throw new RangeError('no amount');
    };
    expect(await decide(ON, { when })).toEqual({ gated: true, why: '@RequireApproval, its when threw RangeError' });
    expect(log.lines.map(({ message }) => message)).toEqual([
      "@RequireApproval of tool 'drop': its when failed, so the call is gated: RangeError: no amount",
    ]);
  });

  it('one that never answers gates after its time', async () => {
    const when = (): Promise<boolean> => new Promise(() => undefined);
    expect(await decide(ON, { when }, {}, 5)).toEqual({
      gated: true,
      why: '@RequireApproval, its when did not answer within 5 ms',
    });
  });

  it.each([undefined, 0, null, 'no'])('one that says %p gates', async (answer) => {
    expect(await decide(ON, { when: () => answer as never })).toMatchObject({ gated: true });
  });

  it('is not asked where a list has decided', async () => {
    const when = (): boolean => {
      throw new Error('not asked');
    };
    expect(await decide({ enabled: true, exempt: ['drop'] }, { when })).toEqual({ gated: false, why: 'exempt' });
    expect(await decide({ enabled: true, requireApproval: ['drop'] }, { when })).toEqual({
      gated: true,
      why: 'requireApproval',
    });
    expect(await decide({ enabled: false }, { when })).toEqual({ gated: false, why: 'the guard is off' });
    expect(log.lines).toEqual([]);
  });

  it('without a predicate it is what was judged', async () => {
    expect(await decide(ON, {})).toEqual({ gated: true, why: '@RequireApproval' });
  });
});
