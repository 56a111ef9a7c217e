/** A read of events stops once it holds so much: what a reader holds of a run is bounded, however large its events are. */
export const MOST_BYTES = 256 * 1024;
