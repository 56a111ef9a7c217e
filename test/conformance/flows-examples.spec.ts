import { examplesOf, problemsOf } from '../support/typed.examples.js';

/** What a reader of the examples has: the imports, and the classes of their own application. */
const AROUND = `
import { Injectable, type Provider } from '@nestjs/common';
import { IsInt } from 'class-validator';
import { AgentRunner, compoundTool, Decide, EventPublishHook, flowAgent, Hook, HookRunner, LoopDetector, NotPermitted, runSubtask, runWithRetry, StallDetector,
  Tool, ToolCall, ToolExecutor, WatchdogHook, type FlowAgent, type HookCall, type ToolHook } from 'nest-gatehouse';
class LookupDto { @IsInt() order!: number; }
class EventEmitter2 { emit(event: string | symbol | (string | symbol)[], ...values: unknown[]): boolean { return [event, ...values].length > 0; } }
class Quota implements ToolHook { beforeTool() { return Decide.continue(); } }
const orders = { get: (order: number) => ({ order }) };
const invoices = { create: (order: number, text: unknown) => ({ order, text }) };
const isNight = () => false;
const isEmpty = (args: unknown) => args === undefined;
export { AgentRunner, compoundTool, EventEmitter2, EventPublishHook, flowAgent, Hook, HookRunner, Injectable, invoices, isEmpty, isNight, LookupDto, LoopDetector,
  NotPermitted, orders, Quota, runSubtask, runWithRetry, StallDetector, Tool, ToolCall, ToolExecutor, WatchdogHook, type FlowAgent, type HookCall, type Provider };
`;

it('the examples about hooks and flows compile as printed, and a wrong one would be noticed', async () => {
  const [hooks, flows] = [await examplesOf('docs/hooks.md'), await examplesOf('docs/flows.md')];
  const texts = [
    hooks,
    flows,
    hooks.replace("kind: 'escalate'", "kind: 'ask'"),
    flows.replace('agentOutput }', 'output }'),
  ];
  const [rightHooks, rightFlows, wrongHooks, wrongFlows] = problemsOf(texts.map((text) => AROUND + text));
  expect([rightHooks, rightFlows]).toEqual([[], []]);
  expect(wrongHooks).toHaveLength(1);
  expect(wrongFlows).toContain("Property 'output' does not exist on type 'CompoundArguments<unknown>'.");
}, 120_000);
