/** What of a run is stored as a versioned body. */
export type CheckpointPart = 'step' | 'state' | 'counters' | 'limits' | 'message';

/** Makes a body of one version out of one of the version before. A part that stayed as it was has none. */
export type Upgrade = { readonly [Part in CheckpointPart]?: (body: unknown) => unknown };

/** `UPGRADES[n]` makes version n + 1 of version n. */
export const UPGRADES: readonly Upgrade[] = [
  // Before there were versions, bodies were stored bare; what has been added since may be absent.
  {},
];
