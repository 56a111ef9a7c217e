/** What the core saw of one operation; whatever stands around it cannot unsay it. */
export interface CoreView {
  /** Thrown again after the onion, whoever swallowed it. */
  kept?: unknown;
  /** Settles when the last start that came has been looked at. */
  turn?: Promise<unknown>;
  /** The last thing that was thrown inside the core. */
  thrown?: unknown;
  /** The approval was claimed: its outcome must be stored. */
  claimed: boolean;
  durationMs: number;
  /** What stands around the core has answered: nothing of this operation starts any more. */
  over?: boolean;
}
