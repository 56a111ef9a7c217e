type Given<T> = { [K in keyof T]?: Exclude<T[K], null> };

/** A value that was stored as JSON text. Text keeps what `jsonb` refuses or changes: NUL, lone surrogates, key order. */
export const parsed = <T>(text: string): T => JSON.parse(text) as T;

/** The members that are not null: an absent column is an absent property. */
export function present<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Given<T>;
}
