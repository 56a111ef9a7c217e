import { v7, validate } from 'uuid';

/** A fresh id: a uuid v7, so ids made later sort later. */
export function newId(): string {
  return v7();
}

/** Whether the text is a uuid of any version; for ids that arrive from outside. Never throws. */
export function isUuid(text: string): boolean {
  return validate(text);
}
