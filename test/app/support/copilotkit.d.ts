// What docs/streaming.md shows of CopilotKit, after the declarations of 1.74.0. The packages bring hundreds of others with them, and are not installed here.

declare module '@copilotkit/runtime/v2' {
  import type { AbstractAgent } from '@ag-ui/client';

  export class InMemoryAgentRunner {
    isRunning(request: { threadId: string }): Promise<boolean>;
  }

  export class CopilotRuntime {
    constructor(options: { agents: Record<string, AbstractAgent>; runner?: InMemoryAgentRunner });
    readonly runner: InMemoryAgentRunner;
  }

  export function createCopilotRuntimeHandler(options: {
    runtime: CopilotRuntime;
    basePath?: string;
    mode?: 'multi-route' | 'single-route';
    cors?: boolean;
  }): (request: Request) => Promise<Response>;
}

declare module '@copilotkit/react-core/v2' {
  import type { Interrupt, RunAgentResult } from '@ag-ui/client';
  import type { FC, ReactElement, ReactNode } from 'react';

  interface InterruptRenderProps {
    event: { name: string; value: unknown };
    interrupt: Interrupt | null;
    interrupts: Interrupt[];
    resolve: (payload?: unknown, interruptId?: string) => Promise<RunAgentResult | void>;
    cancel: (interruptId?: string) => Promise<RunAgentResult | void>;
  }

  export function useInterrupt(config: {
    render: (props: InterruptRenderProps) => ReactElement;
    agentId?: string;
    renderInChat?: true;
  }): void;

  export const CopilotKitProvider: FC<{
    children: ReactNode;
    runtimeUrl?: string;
    headers?: Record<string, string> | (() => Record<string, string>);
    useSingleEndpoint?: boolean;
    agentId?: string;
  }>;

  export function CopilotChat(props: { agentId?: string; threadId?: string }): ReactElement;
}
