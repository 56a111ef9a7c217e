import type { InvalidArgumentsError } from '../contracts/errors/invalid-arguments.error.js';
import { UnknownToolError } from '../contracts/errors/unknown-tool.error.js';
import { cut, describeError } from '../values/error-text.js';
import type { Redactor } from '../values/redactor.js';

// Every word of ours that a model reads stands in this file.

const LONGEST_DETAIL = 500;
const MOST_PROBLEMS = 20;
const LONGEST_PROBLEMS = 2000;

/** A failed call, without what failed. */
export const failureText = (toolName: string, operationId: string): string =>
  `Tool '${toolName}' failed (operation ${operationId}). Do not repeat this call.`;

/** A failed call with `Class: message`, cut at 500 characters. `redact` sees the text before it is cut. */
export const failureDetailText = (
  toolName: string,
  operationId: string,
  error: unknown,
  redact: (text: string) => string,
): string =>
  `Tool '${toolName}' failed (operation ${operationId}): ${cut(redact(describeError(error)), LONGEST_DETAIL)}`;

/** Arguments that were not accepted: the model is asked again. */
export const retryPromptText = (error: InvalidArgumentsError, operationId: string): string => {
  const { toolName, problems } = error;
  return (
    `The arguments of '${toolName}' were not accepted, so it did not run (operation ${operationId}): ` +
    `${listedProblems(problems)}. Correct them and call it again.`
  );
};

const listedProblems = (problems: readonly string[]): string => {
  const listed = problems.slice(0, MOST_PROBLEMS).join('; ');
  const more = problems.length > MOST_PROBLEMS ? `; and ${problems.length - MOST_PROBLEMS} more` : '';
  return cut(listed + more, LONGEST_PROBLEMS);
};

/** A name that is not offered. */
export const unknownToolText = (toolName: string, offered: readonly string[], operationId: string): string =>
  `${new UnknownToolError(toolName, offered).message} Nothing ran (operation ${operationId}).`;

/** What an inspector's refusal says. Never arguments, never diagnostics. */
export interface RefusalFacts {
  readonly reason: string;
  readonly guidance?: string;
  readonly operationId: string;
  readonly runId: string;
  readonly step: number;
}

/** An inspector's refusal, as JSON; `guidance` is absent where there is none. */
export const rejectionText = ({ reason, guidance, operationId, runId, step }: RefusalFacts): string =>
  JSON.stringify({ outcome: 'denied', message: reason, guidance, operationId, runId, step, executionStarted: false });

/** A person's denial: their reason, if they gave one. */
export const deniedText = (reason?: string): string =>
  reason === undefined || reason.trim() === '' ? 'The tool call was denied.' : reason;

/** Nobody answered in time. */
export const expiredText = (): string => 'Nobody approved the tool call in time. It did not run.';

/** Somebody approved, and the start came too late. */
export const unstartedText = (): string =>
  'The tool call was approved, but could not be started in time. It did not run.';

/** What is stored of an approval is not known to be what a person approved. */
export const unverifiedText = (): string => 'The approval of this call could not be verified. It was not started.';

/** What would run is not what a person approved. */
export const voidText = (): string => 'The approval does not cover this call any more. It was not started.';

/** There is nobody to ask: a child run cannot wait for a person. */
export const nobodyToAskText = (): string =>
  'The tool call needs an approval, and nobody can be asked here. It did not run.';

/** The user went on before anybody answered. */
export const supersededText = (): string =>
  'The user sent a new message before the tool call was approved. It did not run.';

/** A Nest guard refused, and the host has denials converted. */
export const guardDenialText = (toolName: string, operationId: string): string =>
  `Calling '${toolName}' is not permitted (operation ${operationId}). It did not run.`;

/** The user wants another answer to what was asked last. */
export const againText = (): string =>
  'Answer my last message again, in another way. What was done for it already stands: do not do it a second time.';

/** What kept a call from being looked at. `output`: an earlier output of the response was chosen. */
export type SkipCause =
  { readonly by: 'barrier'; readonly operationId: string } | { readonly by: 'limit' | 'cancel' | 'output' };

const SKIPPED: { readonly [By in Exclude<SkipCause['by'], 'barrier'>]: string } = {
  limit: 'Skipped: the run reached a limit. It did not run.',
  cancel: 'Skipped: the run was cancelled. It did not run.',
  output: 'Skipped: the output was already chosen. It did not run.',
};

/** A call that was skipped. */
export const skippedText = (cause: SkipCause): string =>
  cause.by === 'barrier'
    ? `Skipped: operation ${cause.operationId} of the same response blocked it. It did not run; call it again if it is still needed.`
    : SKIPPED[cause.by];

/** An output that is not what was asked for. Problems name places, never values. */
export const outputRefusedText = (problems: readonly string[], operationId: string): string =>
  `The final output was not accepted (operation ${operationId}): ${listedProblems(problems)}. Correct it and give it again.`;

/** An output whose call gave no result: what came of the call. */
export const outputCallText = (operationId: string, content: string): string =>
  `The final output was not accepted (operation ${operationId}): its call gave no result. ${content} Give another output, or call the tool first and return its result.`;

/** An output that was valid, and won. */
export const outputAcceptedText = (): string => 'The final output was accepted.';

/** An output whose own call ended the run. */
export const outputSkippedText = (operationId: string): string =>
  `Skipped: operation ${operationId}, the call of this output, ended the run.`;

/** A plain answer where an output is asked for. */
export const outputMissingText = (toolName: string): string =>
  `Your answer was not accepted: give the final result by calling '${toolName}'.`;

/** Something outside this process executes the call. */
export const deferredText = (): string => 'The call was handed to an external executor. Its result is not known yet.';

/** Its run ended before the result came. */
export const unansweredText = (): string =>
  'The call was handed to an external executor, and the run ended before its result came. It may have happened: do not repeat it without checking.';

/** The run ended while the call was under way. */
export const interruptedText = (toolName: string, operationId: string): string =>
  `Tool '${toolName}' was interrupted (operation ${operationId}). Whether it took effect is not known.`;

/** Too many redirects in one chain. */
export const redirectsSpentText = (toolName: string, operationId: string): string =>
  `Tool '${toolName}' did not run (operation ${operationId}): it was redirected too often.`;

/** A result, a stub or a veto as the model reads it: a text as it is, else JSON, both redacted; nothing for `undefined`. */
export const contentOf = (value: unknown, redactor: Pick<Redactor, 'redact'>): string => {
  if (value === undefined) return '';
  const shown = redactor.redact(value);
  return typeof shown === 'string' ? shown : JSON.stringify(shown);
};
