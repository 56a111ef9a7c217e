/** Stands for a value that must not be shown. */
export const HIDDEN: unique symbol = Symbol('hidden');

/** What a walk asks before it shows anything. It must not throw. */
export interface Screen {
  /** What is written for `HIDDEN`. */
  readonly placeholder: string;
  /** Whether the member of this name is hidden, whatever it holds. */
  hides(key: string): boolean;
  /** What is shown of a text, be it value or key. */
  text(text: string): string;
  /** What is walked instead of a value, before it is read; absent = the value. */
  value?(value: unknown, path: readonly (string | number)[]): unknown;
}

/** Shows everything. */
export const OPEN_SCREEN: Screen = Object.freeze({
  placeholder: '',
  hides: () => false,
  text: (text: string) => text,
});
