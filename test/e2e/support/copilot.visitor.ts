import {
  CopilotKitCore,
  ProxiedCopilotRuntimeAgent,
  ɵInterruptState as InterruptState,
  type CopilotKitCoreRunAgentParams,
} from '@copilotkit/core';

import { ANN, fresh, headersOf } from './client.js';
import type { Desk } from './desk.app.js';

type HttpAgent = CopilotKitCoreRunAgentParams['agent'];

interface HttpAgentConfig {
  readonly url: string;
  readonly agentId: string;
  readonly threadId: string;
  readonly headers: Record<string, string>;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

// Of the AG-UI client that CopilotKit brings with it, which is another one than ours: its runtime reads our events with this.
const HttpAgent = Object.getPrototypeOf(ProxiedCopilotRuntimeAgent) as new (config: HttpAgentConfig) => HttpAgent;

type Decision = ReturnType<InterruptState['resolve']>;
type Interrupts = Parameters<InterruptState['setStandard']>[0];

/** What was posted, and how it was answered. */
interface Posted {
  readonly runId: string;
  readonly resume?: readonly object[];
  readonly status: number;
}

/**
 * A person in front of CopilotKit: its core, and of its `useInterrupt` what is not React. In an application the core is in the browser and the agent in a
 * CopilotKit runtime, which passes requests and events on; here they are one.
 */
export class CopilotVisitor {
  readonly posted: Posted[] = [];
  readonly types: string[] = [];
  readonly errors: string[] = [];
  private readonly agent: HttpAgent;
  private readonly core = new CopilotKitCore({});
  private readonly state = new InterruptState();
  private runId = '';

  private constructor(desk: Desk) {
    this.agent = new HttpAgent({
      url: `${desk.url}/agent/runs`,
      agentId: 'desk',
      threadId: fresh('thread'),
      headers: headersOf(ANN),
      fetch: (url, init) => this.post(url, init),
    });
    this.watch();
  }

  static async at(desk: Desk): Promise<CopilotVisitor> {
    const visitor = new CopilotVisitor(desk);
    const { core, agent } = visitor;
    // The core follows its agents itself, from this notice on.
    const known = new Promise<void>((resolve) => core.subscribe({ onAgentsChanged: () => resolve() }));
    core.setAgents__unsafe_dev_only({ desk: agent });
    await known;
    core.subscribe({ onError: ({ code, error }) => void visitor.errors.push(`${code}: ${error.message}`) });
    return visitor;
  }

  /** As in the guide; a test compares the two. */
  fit(): this {
    const remote = this.agent;
    remote.use((input, next) => next.run(input.resume ? { ...input, runId: crypto.randomUUID() } : input));
    return this;
  }

  /** What the hook shows. */
  get interrupts(): Interrupts {
    const { pending } = this.state;
    return pending?.kind === 'standard' ? pending.interrupts : [];
  }

  get messages(): string[] {
    return this.agent.messages.map((message) => {
      const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
      const text = typeof message.content === 'string' ? [message.content] : [];
      return [`${message.role}:`, ...text, ...calls.map(({ function: { name } }) => `calls ${name}`)].join(' ');
    });
  }

  async say(content: string): Promise<void> {
    this.agent.addMessage({ id: fresh('message'), role: 'user', content });
    await this.core.runAgent({ agent: this.agent });
  }

  /** The `resolve` of `useInterrupt`. */
  resolve(payload: object, interruptId?: string): Promise<void> {
    return this.go(this.state.resolve(payload, interruptId));
  }

  /** The `cancel` of `useInterrupt`. */
  cancel(interruptId?: string): Promise<void> {
    return this.go(this.state.cancel(interruptId));
  }

  /** Answers all that wait without the hook. */
  async answer(payload: object): Promise<void> {
    const resume = this.agent.pendingInterrupts.map(({ id }) => ({
      interruptId: id,
      status: 'resolved' as const,
      payload,
    }));
    await this.core.runAgent({ agent: this.agent, resume });
  }

  /** What `useInterrupt` does with an answer: once it has all of them, they are the results of their calls, and resume the run under its old id. */
  private async go(decision: Decision): Promise<void> {
    if (decision.kind !== 'resume') return;
    for (const { toolCallId, content } of decision.toolResults) {
      this.agent.addMessage({ id: fresh('message'), role: 'tool', toolCallId, content });
    }
    await this.core.runAgent({ agent: this.agent, resume: decision.resume, runId: this.runId });
  }

  private watch(): void {
    let found: Interrupts = [];
    this.agent.subscribe({
      onEvent: ({ event }) => void this.types.push(event.type),
      onRunStartedEvent: () => {
        found = [];
        this.state.clear();
      },
      onRunFinishedEvent: (finished) => {
        if (finished.outcome !== 'interrupt') return;
        found = finished.interrupts;
        this.runId = finished.input.runId;
      },
      onRunFinalized: () => this.state.setStandard(found),
    });
  }

  private async post(url: string, init: RequestInit): Promise<Response> {
    const response = await fetch(url, init);
    const { runId, resume } = JSON.parse(init.body as string) as Posted;
    this.posted.push({ runId, resume, status: response.status });
    return response;
  }
}
