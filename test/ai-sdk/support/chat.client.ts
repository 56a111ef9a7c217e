import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ChatState,
  type UIMessage,
} from 'ai';

/** What `useChat` keeps in React state, kept in a plain object. */
class PlainState implements ChatState<UIMessage> {
  status: ChatState<UIMessage>['status'] = 'ready';
  error: Error | undefined;

  constructor(public messages: UIMessage[]) {}

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, structuredClone(message)];
  };
  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.map((one, at) => (at === index ? structuredClone(message) : one));
  };
  snapshot = <T>(thing: T): T => structuredClone(thing);
}

/** What a test asks of a tool's part. */
export interface ToolPart {
  readonly type: string;
  readonly state: string;
  readonly toolCallId: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly errorText?: string;
  readonly approval?: { readonly id: string; readonly approved?: boolean; readonly reason?: string };
}

/** The chat of the AI SDK's own `useChat`, without React. */
export class ChatClient extends AbstractChat<UIMessage> {
  /** Bodies that its transport has posted. */
  readonly posted: Record<string, unknown>[];

  constructor(api: string, { id, messages = [] }: { readonly id: string; readonly messages?: readonly UIMessage[] }) {
    const posted: Record<string, unknown>[] = [];
    const transport = new DefaultChatTransport({
      api,
      headers: { 'x-user': 'ann', 'x-org': 'acme' },
      fetch: (input, init) => {
        if (typeof init?.body === 'string') posted.push(JSON.parse(init.body) as Record<string, unknown>);
        return fetch(input, init);
      },
    });
    super({
      id,
      transport,
      state: new PlainState([...messages]),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
    this.posted = posted;
  }

  /** Who said what: the text of every message, or the kinds of its parts. */
  get told(): string[] {
    return this.messages.map(({ role, parts }) => `${role}: ${parts.map(partName).join(', ')}`);
  }

  /** The tool parts of the last message. */
  get calls(): ToolPart[] {
    const parts = (this.lastMessage?.parts ?? []) as readonly { readonly type: string }[];
    return parts.filter(({ type }) => type.startsWith('tool-')) as ToolPart[];
  }

  get approvals(): string[] {
    return this.calls.flatMap(({ state, approval }) =>
      state === 'approval-requested' && approval ? [approval.id] : [],
    );
  }

  /** Resolves once what it has under way is over. */
  async rest(): Promise<void> {
    do await new Promise(setImmediate);
    while (this.status === 'submitted' || this.status === 'streaming');
  }
}

const partName = (part: UIMessage['parts'][number]): string => {
  if (part.type === 'text') return part.text;
  return 'state' in part ? `${part.type} ${part.state}` : part.type;
};
