import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import type { TrustedLog } from '../../values/transparency/checkpoint.js';
import type { Findings } from './findings.js';
import { judgeNote } from './log.keys.js';
import type { AnchoredNote } from './verify.options.js';

/** A root the log must have at a size, because somebody outside the database remembers it. */
export interface Pin {
  readonly name: string;
  readonly size: number;
  readonly root: Uint8Array;
}

/**
 * The anchors that are believed, by size. One that no trusted key signed pins nothing; one whose signature is false is a finding.
 *
 * @throws ConfigurationError for one that cannot be read: it says nothing about what is stored
 */
export function pinsOf(anchors: readonly AnchoredNote[], log: TrustedLog, findings: Findings): readonly Pin[] {
  const pins = anchors.flatMap(({ name, note }) => {
    const judged = judgeNote(note, log);
    if (judged.kind === 'trusted') return [{ name, size: judged.checkpoint.size, root: judged.checkpoint.root }];
    if (judged.kind === 'bad' && judged.fault === 'checkpoint malformed')
      throw new ConfigurationError(`The anchor '${name}' cannot be read. ${judged.message}`);
    if (judged.kind === 'bad') findings.fault(judged.fault, {}, `The anchor '${name}': ${judged.message}`);
    else findings.unchecked(`the anchor '${name}': no key you trust signed it`);
    return [];
  });
  return pins.sort((one, other) => one.size - other.size);
}
