/** Two different events with one `seq` in one run: a mistake of the caller, never of the store. */
export function frameConflict(runId: string, seq: number): Error {
  return new RangeError(`Run ${runId} already has another event with seq ${seq}; the next one is lastSeq + 1.`);
}
