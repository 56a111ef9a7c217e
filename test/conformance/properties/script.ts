import { FINAL_OUTPUT } from 'nest-gatehouse';
import { call, says, type ExecutorLine } from 'nest-gatehouse/testing';

/** What every role does about one call. The first word of each list is the plain one, and what a failing case shrinks to. */
export const CHOICES = {
  tool: [
    ...['read', 'readDto', 'slow', 'gated', 'gatedDto', 'fail', 'refuse', 'closed', 'retry', 'veto', 'ask'],
    ...['defer', 'nobody', 'give', 'giveCall', 'giveWrong'],
    ...['deny', 'end', 'cancel', 'cancelDeaf'],
  ],
  args: ['valid', 'wrong type', 'too many', 'no JSON'],
  inspector: ['accept', 'accept later', 'reject', 'reject later', 'abort', 'throw', 'nonsense'],
  before: ['nothing', 'continue', 'skip', 'arguments', 'tool', 'same', 'abort', 'throw'],
  after: ['nothing', 'arguments', 'skip', 'abort', 'throw'],
  error: ['nothing', 'arguments', 'abort', 'throw'],
  around: ['pass', 'change', 'again', 'swallow', 'replace', 'veto', 'retry', 'ask', 'ask afterwards', 'defer', 'throw'],
  answer: ['approve', 'edit', 'deny', 'expire'],
} as const satisfies Record<string, readonly string[]>;

export type Choices = { readonly [Role in keyof typeof CHOICES]: (typeof CHOICES)[Role][number] };

/** One run: its responses, who takes part, and how the application is set up. */
export interface Script {
  readonly responses: readonly (readonly Choices[])[];
  readonly inspected: boolean;
  readonly hooked: boolean;
  readonly wrapped: boolean;
  /** Whether a failing tool is converted for the model; otherwise it ends the run. */
  readonly converts: boolean;
  readonly parallelToolCalls: 1 | 8;
  readonly toolRetries: 0 | 1;
  readonly redirects: 0 | 1 | 2;
  readonly toolCalls: 3 | 200;
  /** How the run must give its result: in words, or by an output. */
  readonly output: 'words' | 'graceful' | 'early';
}

/** Where a call stands in its script: what the roles look themselves up by. */
export const numberOf = (response: number, position: number): number => response * 10 + position;

/** The choices about the call with this number; plain ones for whatever was not in the script. */
export const choicesOf = ({ responses }: Script, number: unknown): Choices | undefined =>
  typeof number === 'number' ? responses[Math.floor(number / 10)]?.[number % 10] : undefined;

/** The secret among the arguments of a call. */
export const secretOf = (who: string, n: number): string => `canary-argument-${who}-${n}`;

/** The arguments of a call as they are meant. */
export const plainArguments = (who: string, n: number) => ({ who, n, x: 1, password: secretOf(who, n) });

const proposed = (who: string, n: number, { args }: Choices): unknown => {
  const plain = plainArguments(who, n);
  if (args === 'wrong type') return { ...plain, x: 'one' };
  if (args === 'too many') return { ...plain, extra: true };
  return args === 'no JSON' ? `${JSON.stringify(plain)}}` : plain;
};

const OUTPUTS: { readonly [Tool in Choices['tool']]?: (args: unknown, n: number) => unknown } = {
  give: (_, n) => ({ return: { x: n } }),
  giveCall: (args) => {
    const output = { returnCall: { toolName: 'read', args } };
    return typeof args === 'string' ? `${JSON.stringify(output)}}` : output;
  },
  giveWrong: () => ({ return: 'nothing' }),
};

const spoken = (who: string, n: number, choices: Choices) => {
  const args = proposed(who, n, choices);
  const output = OUTPUTS[choices.tool];
  const id = `call-${n}`;
  return output === undefined ? call(choices.tool, args, id) : call(FINAL_OUTPUT, output(args, n), id);
};

/** The script as its model plays it, ending in an answer. */
export const linesOf = (script: Script, who: string): readonly ExecutorLine[] => [
  ...script.responses.map((calls, response) =>
    calls.map((choices, position) => spoken(who, numberOf(response, position), choices)),
  ),
  [script.output === 'words' ? says('done') : call(FINAL_OUTPUT, { return: { x: 0 } }, 'last')],
];
