const fail = (field: string, rule: string): never => {
  throw new TypeError(`A decision's ${field} ${rule}.`);
};

/** A reason: text with something in it. */
export const nonEmpty = (value: string, field: string): string =>
  typeof value === 'string' && value.trim() !== '' ? value : fail(field, 'must be a non-empty string');

/** Text, or nothing. */
export const optionalText = (value: string | undefined, field: string): string | undefined =>
  value === undefined || typeof value === 'string' ? value : fail(field, 'must be a string or left out');

/** Refuses keys that no decision has, so that a typing slip is never read as consent. */
export const onlyKeys = (value: object, keys: readonly string[], what: string): void => {
  const unknown = Object.keys(value).filter((key) => !keys.includes(key));
  if (unknown.length > 0) fail(what, `does not take ${unknown.map((key) => `'${key}'`).join(', ')}`);
};
