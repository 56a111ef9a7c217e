import type { RunContext, ProposedCall } from 'nest-gatehouse';
import { call } from 'nest-gatehouse/testing';

/** A model gives its result. */
export const gives = (value: unknown): ProposedCall => call('final_output', { return: value });

/** A model gives the result of a call. */
export const givesCall = (toolName: string, args: object = {}): ProposedCall =>
  call('final_output', { returnCall: { toolName, args } });

/** A model ends with the error of a failed operation. */
export const raises = (operationId: string): ProposedCall => call('final_output', { raise: operationId });

/** The operation id that the last result of a tool names. */
export const lastOperationId = ({ messages }: RunContext): string => {
  const last = messages.findLast(({ role }) => role === 'tool');
  const content = last?.role === 'tool' ? (last.results.at(-1)?.content ?? '') : '';
  const [, id] = /operation ([0-9a-f-]{36})/.exec(content) ?? [];
  if (id === undefined) throw new Error(`No operation is named in: ${content}`);
  return id;
};
