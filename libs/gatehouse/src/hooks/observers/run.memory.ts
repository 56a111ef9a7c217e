const MOST_RUNS = 1000;

/** What is remembered of each run, of the runs heard of last: a hook is never told that a run has ended. */
export class RunMemory<Track> {
  private readonly tracks = new Map<string, Track>();

  /** @param most runs that are remembered */
  constructor(
    private readonly make: () => Track,
    private readonly most: number = MOST_RUNS,
  ) {}

  /** The track of a run, made where there is none. */
  of(runId = ''): Track {
    const track = this.tracks.get(runId) ?? this.make();
    // Last heard, last forgotten: a Map keeps the order of insertion.
    this.tracks.delete(runId);
    this.tracks.set(runId, track);
    for (const oldest of this.tracks.keys()) {
      if (this.tracks.size <= this.most) break;
      this.tracks.delete(oldest);
    }
    return track;
  }

  /** The track of a run, if there is one; the run does not count as heard of. */
  seen(runId = ''): Track | undefined {
    return this.tracks.get(runId);
  }
}
