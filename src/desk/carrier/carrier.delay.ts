/** How long the carrier takes to answer, in milliseconds (`number`). */
export const CARRIER_DELAY = Symbol('desk:carrier-delay');

/** Long enough to leave while it is being asked. */
export const SLOW_CARRIER_MS = 2_000;
