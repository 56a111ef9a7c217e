import { MalformedEvidenceError } from '../../contracts/errors/malformed-evidence.error.js';
import { UntrustedEvidenceError } from '../../contracts/errors/untrusted-evidence.error.js';
import {
  parseCheckpoint,
  verifyCheckpoint,
  type Checkpoint,
  type TrustedLog,
} from '../../values/transparency/checkpoint.js';
import { parseNote } from '../../values/transparency/signed.note.js';
import type { FaultKind } from './verify.report.js';

/** What a note is to the holder of these keys. */
export type NoteJudgement =
  | { readonly kind: 'trusted' | 'unknown key'; readonly checkpoint: Checkpoint }
  | { readonly kind: 'bad'; readonly fault: FaultKind; readonly message: string };

/** Reads a signed checkpoint: believed, signed by nobody one knows, or false. Never throws for what a note says. */
export function judgeNote(note: string, log: TrustedLog): NoteJudgement {
  try {
    return { kind: 'trusted', checkpoint: verifyCheckpoint(note, log) };
  } catch (error) {
    if (error instanceof UntrustedEvidenceError) return untrusted(note, log, error);
    if (error instanceof MalformedEvidenceError)
      return { kind: 'bad', fault: 'checkpoint malformed', message: error.message };
    throw error;
  }
}

function untrusted(note: string, log: TrustedLog, { reason, message }: UntrustedEvidenceError): NoteJudgement {
  if (reason === 'bad signature') return { kind: 'bad', fault: 'checkpoint signature false', message };
  if (reason === 'other log') return { kind: 'bad', fault: 'checkpoint of another log', message };
  try {
    return { kind: 'unknown key', checkpoint: parseCheckpoint(parseNote(note).text) };
  } catch (error) {
    if (!(error instanceof MalformedEvidenceError)) throw error;
    return { kind: 'bad', fault: 'checkpoint malformed', message: `${error.message} (of the log ${log.origin})` };
  }
}
