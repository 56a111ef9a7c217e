import type { DeskClient } from './desk.client.js';

/** Where a story is told: one line at a time. */
export type Teller = (line: string) => void;

/** What every chapter needs. */
export interface Story {
  readonly desk: DeskClient;
  readonly tell: Teller;
}
