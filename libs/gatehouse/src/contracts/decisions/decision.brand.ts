/** Which role a decision was made for. Registered, so that two copies of the package agree. */
const BRAND = Symbol.for('gatehouse:decision');

/** The roles that decide. `accept` and `abort` are made by one function and serve two roles. */
export type DecisionRole = 'inspector' | 'commit' | 'hook';

/** Freezes a decision and marks who may return it. */
export const branded = <T extends object>(decision: T, ...roles: DecisionRole[]): Readonly<T> => {
  Object.defineProperty(decision, BRAND, { value: Object.freeze(roles) });
  return Object.freeze(decision);
};

/** Whether a value is a decision made by `Decide` for this role. */
export const isDecisionFor = (value: unknown, role: DecisionRole): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const roles: unknown = Reflect.get(value, BRAND);
  return Array.isArray(roles) && roles.includes(role);
};
