import { Injectable, Logger, Module, type ModuleMetadata } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test, type TestingModule, type TestingModuleBuilder } from '@nestjs/testing';
import { jest } from '@jest/globals';
import { TestCall } from './test.call.js';
import {
  ToolExplorer,
  ToolGuard,
  ToolInvoker,
  ToolRegistry,
  type JsonValue,
  type RegisteredTool,
  type ToolGate,
  type UnjudgedTool,
} from './tools.room.js';

/** A gate that holds what calls itself destructive, and nothing else. */
@Injectable()
export class PlainGuard extends ToolGuard {
  override judge({ declaredDestructive = false }: UnjudgedTool) {
    return { destructive: declaredDestructive, gate: this.decideFor(declaredDestructive) };
  }

  override decide({ destructive }: { readonly destructive: boolean }): ToolGate {
    return this.decideFor(destructive);
  }

  private decideFor(gated: boolean): ToolGate {
    return { gated, why: gated ? 'destructive' : 'not destructive' };
  }
}

/** The room alone: what the wiring will provide. */
@Module({
  imports: [DiscoveryModule],
  providers: [ToolExplorer, ToolInvoker, ToolRegistry, { provide: ToolGuard, useClass: PlainGuard }],
  exports: [ToolRegistry],
})
export class ToolsRoom {}

/** An application with these providers, booted; `Host` is the module that holds them. */
export async function boot(
  metadata: ModuleMetadata,
  change: (builder: TestingModuleBuilder) => TestingModuleBuilder = (builder) => builder,
): Promise<TestingModule> {
  @Module({ ...metadata, imports: [ToolsRoom, ...(metadata.imports ?? [])] })
  class Host {}
  const module = await change(Test.createTestingModule({ imports: [Host] })).compile();
  return module.init();
}

/** Boots, and gives the message it was refused with. */
export async function refusal(...of: Parameters<typeof boot>): Promise<string> {
  try {
    await boot(...of);
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
  throw new Error('The application booted.');
}

export const toolOf = (
  app: { get(token: typeof ToolRegistry, options: { strict: false }): ToolRegistry },
  name: string,
): RegisteredTool => {
  const tool = app.get(ToolRegistry, { strict: false }).registered(name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  return tool;
};

/** One call from guards to method, in the order of the pipeline. */
export async function run(tool: RegisteredTool, args: JsonValue = {}, call = new TestCall()): Promise<unknown> {
  const invocation = await tool.open(call);
  await invocation.guard?.(call);
  const result = await tool.validate(args);
  if (!result.ok) throw new Error(`invalid: ${result.problems.join('; ')}`);
  call.args = invocation.pipe === undefined ? result.value : await invocation.pipe(result.value);
  return invocation.execute(call, call.args, async (arrived) => invocation.start(arrived, call));
}

/** What was logged by `gatehouse.tools` while `act` ran. */
export async function logged(act: () => Promise<unknown>): Promise<readonly string[]> {
  const lines: string[] = [];
  const spy = jest.spyOn(Logger.prototype, 'log').mockImplementation((line: unknown) => void lines.push(String(line)));
  try {
    await act();
  } finally {
    spy.mockRestore();
  }
  return lines;
}
