import { compoundTool, type CompoundArguments, type FlowAgent, type ToolCaller, type ToolHook } from 'nest-gatehouse';

/** What a flow's agent reads and writes in these tests. */
export interface Notes {
  readonly messages: { role: string; text: string }[];
  readonly results: unknown[];
}

export const notes = (): Notes => ({ messages: [], results: [] });

/** An agent that says what it was asked, in capitals. */
export const SHOUTING: FlowAgent<string, unknown> = { name: 'shouting', run: (prompt) => prompt.toUpperCase() };

/** A compound tool around `SHOUTING`, and what its executor was given. */
export function shoutingTool(
  answer: () => unknown,
  hooks: readonly ToolHook[] = [],
  more: { readonly name?: string; readonly tools?: ToolCaller } = {},
) {
  const executed: CompoundArguments<string>[] = [];
  const tool = compoundTool({
    agent: SHOUTING,
    execute: (args) => {
      executed.push(args);
      return answer();
    },
    hooks,
    updateState: (state: Notes, result) => void state.results.push(result),
    ...more,
  });
  return { tool, executed };
}
