import type { RunFrame } from '../contracts/run.events.js';

/** What of the run a stream names beside its frames. */
export interface WireRun {
  readonly runId: string;
  readonly threadId: string;
}

/** Turns the frames of one stream, in order, into what its client reads. It may remember what it has said. */
export interface StreamEncoder {
  /** The texts of one frame, one for each SSE event; none where the protocol has no word for it. */
  encode(frame: RunFrame): readonly string[];
}

/** How clients of one protocol are spoken to. */
export interface StreamProtocol {
  /** One for each stream, which ends with the segment whose first frame has this `seq`. */
  encoder(run: WireRun, firstSeq: number): StreamEncoder;
  /** The texts that end a stream with an error: for what went wrong before, or beside, a run. */
  error(message: string, code: string): readonly string[];
  /** An answer to an approval that we never issued refuses the whole request, or is left out of it. */
  readonly unknownAnswers: 'refused' | 'ignored';
}
