import { InspectionFailedError } from '../contracts/errors/inspection-failed.error.js';
import { errorName } from '../values/error-text.js';
import { isPending } from '../values/pending.js';
import { within } from '../values/within.js';

/** Whom to ask what, and how long to wait. */
export interface InspectorQuestion {
  readonly inspector: string;
  readonly method: string;
  readonly timeoutMs: number;
}

/**
 * The decision of one inspector.
 *
 * @throws InspectionFailedError for anything else, whatever class was thrown: an inspector cannot ask for a retry or a conversion
 */
export async function askInspector<Decision>(
  question: InspectorQuestion,
  ask: () => unknown,
  fits: (value: unknown) => value is Decision,
): Promise<Decision> {
  const { inspector, method, timeoutMs } = question;
  const late: { error?: Error } = {};
  let problem: string;
  try {
    let answer = ask();
    if (isPending(answer)) answer = await within(answer, timeoutMs, () => (late.error = new Error('late')));
    if (fits(answer)) return answer;
    problem = `returned an invalid decision from ${method} (${shown(answer)})`;
  } catch (error) {
    if (error !== undefined && error === late.error) problem = `did not decide in ${method} within ${timeoutMs} ms`;
    else throw new InspectionFailedError(inspector, `threw ${errorName(error)} in ${method}`, { cause: error });
  }
  throw new InspectionFailedError(inspector, problem);
}

// Only the shape: the value may hold arguments.
function shown(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) return answer === null ? 'null' : typeof answer;
  const kind: unknown = Reflect.get(answer, 'kind');
  return typeof kind === 'string' ? `kind '${kind.slice(0, 32)}'` : 'object';
}
