import { cut } from '../../values/cut.js';

const MOST_PROBLEMS = 20;
const LONGEST_PROBLEM = 300;

/** Keys are the model's own words: bounded, so that a refusal is never longer than the arguments. */
export const boundedProblems = (problems: readonly string[]): readonly string[] => {
  const shown = problems.slice(0, MOST_PROBLEMS).map((problem) => cut(problem, LONGEST_PROBLEM));
  const more = problems.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more problems`] : shown;
};

/** A place in the arguments as a model writes it: `items[0].price`. */
export const placeOf = (path: readonly PropertyKey[]): string => {
  const text = path.reduce<string>(
    (before, key) => before + (isIndex(key) ? `[${String(key)}]` : `.${String(key)}`),
    '',
  );
  return text.startsWith('.') ? text.slice(1) : text;
};

/** `field: message`; the message alone where the whole object is meant. */
export const problemAt = (path: readonly PropertyKey[], message: string): string =>
  path.length === 0 ? message : `${placeOf(path)}: ${message}`;

const isIndex = (key: PropertyKey): boolean =>
  typeof key === 'number' || (typeof key === 'string' && /^\d+$/.test(key));
