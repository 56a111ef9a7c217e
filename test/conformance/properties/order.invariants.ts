import type { Answered, Performance, Start } from './performance.js';

/** Once a call of a response is rejected no later call of that response starts; once a call has ended the run, none at all. */
export const nothingStartsAfterARejection = ({ moments, rows, terminals, script }: Performance): void => {
  const places = new Map(rows.map(({ id, step, position }) => [id, { step, position }]));
  const enders = new Set(terminals[0]?.status === 'completed' ? [] : endersOf(rows));
  const rejected: { readonly step: number; readonly position: number }[] = [];
  let ended = false;
  for (const moment of moments) {
    if (moment.kind === 'start') {
      const place = places.get(moment.start.operationId);
      const behind = rejected.filter(({ step, position }) => step === place?.step && position < place.position);
      expect([behind, ended]).toEqual([[], false]);
    } else if (moment.kind === 'finished') {
      const { request, status } = moment.fact;
      if (status === 'rejected') rejected.push(request);
      // Side by side, whatever was under way still settles.
      ended ||= script.parallelToolCalls === 1 && enders.has(request.operationId);
    }
  }
};

/** The operations that ended the run: they block others without having been rejected. */
const endersOf = (rows: Performance['rows']): readonly string[] => {
  const blockers = rows.flatMap(({ kind, blockedByOperationId }) =>
    kind === 'tool' && blockedByOperationId !== null ? blockedByOperationId : [],
  );
  return blockers.filter((id) => rows.some((row) => row.id === id && row.kind === 'tool' && row.status !== 'rejected'));
};

/** What was skipped was neither inspected nor started, unless it had come so far before it waited for a person. */
export const skippedMeansUntouched = ({ rows, starts, asked }: Performance): void => {
  for (const { id } of rows.filter(({ status, approvalId }) => status === 'skipped' && approvalId === null)) {
    expect(starts.filter(({ operationId }) => operationId === id)).toEqual([]);
    expect(asked.filter(({ request }) => request.operationId === id)).toEqual([]);
  }
};

/** A method receives exactly what was accepted last about its operation, and, where a person was asked, what that person approved. */
export const executedIsInspectedIsApproved = ({ moments, script }: Performance): void => {
  const accepted = new Map<string, string>();
  const answers = new Map<string, Answered>();
  for (const moment of moments) {
    if (moment.kind === 'asked') {
      const { request, answered, args } = moment.asked;
      if (answered.startsWith('accept')) accepted.set(request.operationId, args);
      else accepted.delete(request.operationId);
    }
    if (moment.kind === 'answered') answers.set(moment.answered.operationId, moment.answered);
    if (moment.kind !== 'start') continue;
    const { operationId, toolName, args } = moment.start;
    if (script.inspected) expect([operationId, args]).toEqual([operationId, accepted.get(operationId)]);
    const answer = answers.get(operationId);
    if (toolName.startsWith('gated')) expect(answer).toBeDefined();
    if (answer !== undefined) expectApproved(moment.start, answer);
    // One approval pays for one start; a call that nobody was asked about may start again.
    if (answer !== undefined) answers.set(operationId, { operationId, answer: 'spent', args: '' });
  }
};

const expectApproved = ({ args, toolName }: Start, answer: Answered): void => {
  expect([toolName, ['approve', 'edit'].includes(answer.answer)]).toEqual([toolName, true]);
  expect(withoutSecret(args)).toEqual(withoutSecret(answer.args));
};

const withoutSecret = (args: string): unknown => ({ ...(JSON.parse(args) as object), password: undefined });
