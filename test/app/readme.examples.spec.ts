import { blocksOf, examplesOf, problemsOf } from '../support/typed.examples.js';

/** What a reader of the examples has: the imports, and the classes of their own application. */
const AROUND = `
import { Controller, Injectable, Module, UseGuards, type CanActivate } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { openai } from '@ai-sdk/openai';
import { IsInt } from 'class-validator';
import { AccessPolicy, Agent, ApprovalController, Decide, DestructiveTool, GatehouseModule, Inspector, RequireApproval, RunController, Tool, ToolCall,
  type AccessAction, type AccessResource, type OperationInspector, type OperationRequest, type Principal } from 'nest-gatehouse';
import { ModelAgent } from 'nest-gatehouse/ai-sdk';
class LookupDto { @IsInt() order!: number; }
class RefundDto extends LookupDto { @IsInt() amount!: number; }
class RefundOrderDto extends RefundDto {}
class OrdersService { get(order: number) { return { order }; } refund(args: RefundDto, options: { idempotencyKey: string }) { return { ...args, ...options }; } }
class JwtGuard implements CanActivate { canActivate() { return true; } }
class MyAccessPolicy extends AccessPolicy { override can() { return true; } }
const isNight = () => false;
export { OrdersService, RefundOrderDto };
`;

const AFTER = '\nexport { AppModule };\n';

const MAIN = `import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ProblemFilter, type AgentRunner } from 'nest-gatehouse';
`;

// The one ellipsis: where a reader's own connection goes.
const complete = (examples: string) =>
  AROUND + MAIN + examples.replace('forRoot({ …, ', "forRoot({ type: 'postgres', ") + AFTER;

/** The blocks of the guides, with what stands around each in a reader's file. */
const GUIDES: Readonly<Record<string, (examples: string) => string>> = {
  'docs/approvals.md': (examples) => {
    const [tools = '', rest = ''] = examples.split(/(?=@ApprovalNotifier)/);
    const [resuming = ''] = /^await runner\.resume.*$/m.exec(tools) ?? [];
    const methods = tools.replace(resuming, '').replace('{ … }', '{ return [args, call.approval]; }');
    return `import { AgentRunner, ApprovalNotifier, CallDeferred, WebhookNotifier, type ApprovalListener, type ApprovalNotice } from 'nest-gatehouse';
class Mailer { async send(mail: { key: string; subject?: string }): Promise<void> { await Promise.resolve(mail); } }
class LabelDto { @IsInt() order!: number; }
export class RefundTools {
  private readonly queue = { add: (job: object): Promise<string> => Promise.resolve(JSON.stringify(job)) };
${methods}\n}
export async function resuming(runner: AgentRunner, runId: string, user: Principal, operationId: string) { ${resuming} }
${rest.replace(/^\{$/m, 'export const webhook = {')}\nexport { Mail };`;
  },
  'docs/streaming.md': (examples) => `${MAIN}import { HttpAgent, type ResumeEntry } from '@ag-ui/client';
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { ChatController } from 'nest-gatehouse';
declare class EventSource {
  static readonly CLOSED: number;
  readonly readyState: number;
  constructor(url: string, options?: { withCredentials?: boolean });
  onmessage: (message: { data: string; lastEventId: string }) => void;
  onerror: () => void;
  close(): void;
}
class AppModule {}
${examples.replace('const agent = new HttpAgent', 'export const agent = new HttpAgent')}`,
  'docs/workers.md': (examples) => `import { NestFactory } from '@nestjs/core';
declare const url: string;
class Runs extends RunController {}
class OrderTools {}
class SupportAgent {}
${examples}`,
  'docs/opentelemetry.md': (examples) => `import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { GatehouseTracingModule } from 'nest-gatehouse/opentelemetry';
declare const url: string;
${examples}`,
  'docs/audit.md': (examples) => {
    const [intents = '', controller = ''] = examples.split(/(?=@Controller\('health'\))/);
    return `import { Get, ServiceUnavailableException } from '@nestjs/common';
import { AuditTrail, EvidenceHealth } from 'nest-gatehouse';
${controller}
export async function resolving(trail: AuditTrail) {\n${intents}\n}
export { HealthController };`;
  },
  'docs/which-role.md': (
    examples,
  ) => `import { Listener, Middleware, PostgresAuditLogger, type AuditEvent, type AuditLogger, type OperationFinished,
  type OperationListener, type RunCandidate, type RunContext, type RunExecutor, type TerminalRecord, type ToolMiddleware } from 'nest-gatehouse';
const metrics = { observe: (name: string, value: number) => [name, value], count: async (name: string, what: string) => Promise.resolve([name, what]) };
${examples}`,
  'docs/operation-feedback.md': (examples) => `import type { RunCommit } from 'nest-gatehouse';\n${examples}`,
  'docs/failure-policy.md': (examples) =>
    `import { ForbiddenException, UnauthorizedException } from '@nestjs/common';
import { NotPermitted, PrincipalUnavailable, RetryBudgetExceededError, type GatehouseModuleOptions } from 'nest-gatehouse';
${examples.replace(/^failure: (.*)$/m, "export const given: GatehouseModuleOptions['failure'] = $1;")}`,
  'docs/ordering.md': (examples) =>
    `import { Middleware, type ToolMiddleware } from 'nest-gatehouse';
const wrapped = { aroundTool: (_: ToolCall, next: () => Promise<unknown>) => next() };
@Middleware() class RateLimit implements ToolMiddleware { aroundTool = wrapped.aroundTool; }
${examples.replaceAll('{ … }', '{ aroundTool = wrapped.aroundTool; }')}
export { Cache, RateLimit };`,
};

// Of what stands around all of them, each uses only a part.
const isOfUse = (problem: string) => !/never (read|used)\.$/.test(problem);

it('the examples of the README and the guides compile as printed, and a wrong one would be noticed', async () => {
  const examples = complete(await examplesOf('README.md'));
  // The other block in that language is a fragment, and shown whole further down.
  const inBrowser = (await blocksOf('docs/streaming.md', 'tsx')).filter((block) => block.includes('@copilotkit/'));
  const guides = Object.entries(GUIDES).map(async ([file, whole]) => AROUND + whole(await examplesOf(file)));
  const [right, wrong, browser, wrongBrowser, ...ofGuides] = problemsOf(
    [
      examples,
      examples.replace('args.order', 'args.ordre'),
      inBrowser.join(''),
      inBrowser.join('').replace('{ id, message }', '{ id, text }'),
      ...(await Promise.all(guides)),
    ],
    ['test/app/support/copilotkit.d.ts'],
  );
  expect([right, browser, inBrowser.length]).toEqual([[], [], 1]);
  expect(wrong).toEqual(["Property 'ordre' does not exist on type 'LookupDto'. Did you mean 'order'?"]);
  expect(wrongBrowser).toContain("Property 'text' does not exist on type 'Interrupt'.");
  expect(ofGuides.map((problems) => problems.filter(isOfUse))).toEqual(Object.keys(GUIDES).map(() => []));
}, 120_000);
