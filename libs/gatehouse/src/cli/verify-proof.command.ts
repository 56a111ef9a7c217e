import { readFile } from 'node:fs/promises';
import { verifyProof, type ProvedRecord } from '../audit/prove/verify.proof.js';
import { MalformedEvidenceError } from '../contracts/errors/malformed-evidence.error.js';
import { UntrustedEvidenceError } from '../contracts/errors/untrusted-evidence.error.js';
import { oneLine } from '../values/one-line.js';
import { EXIT } from './exit.codes.js';
import { does, print, subcommand, type CommonOptions, type Register } from './subcommand.js';
import { readKeys, withKeys, type KeyOptions } from './trusted.keys.js';

// Of a value on a terminal; --json has the whole of it.
const LONGEST = 10_000;

interface VerifyProofCommandOptions extends CommonOptions, KeyOptions {}

/** Verifies a proof, with nothing but the key. */
export const register: Register = (program, terminal) => {
  const command = withKeys(
    subcommand(program, 'verify-proof', 'verify the proof of one record, without a database'),
  ).argument('<file>', 'the JSON that `gatehouse prove` wrote');
  does<VerifyProofCommandOptions>(command, terminal, async (options, [file = '']) => {
    const keys = await readKeys(options);
    if (keys.length === 0) {
      terminal.err('gatehouse verify-proof: pass --key, the verifier key you trust.\n');
      return EXIT.untrusted;
    }
    const text = await readFile(file, 'utf8');
    try {
      const proved = verifyProof(text, { keys, ...(options.origin !== undefined && { origin: options.origin }) });
      print(terminal, options, { outcome: 'ok', ...proved }, linesOf(proved));
      return EXIT.ok;
    } catch (error) {
      const verdict = verdictOf(error);
      if (verdict === undefined) throw error;
      print(terminal, options, verdict, [oneLine(`${verdict.outcome.toUpperCase()}: ${verdict.message}`, LONGEST)]);
      return verdict.outcome === 'untrusted' ? EXIT.untrusted : EXIT.tampered;
    }
  });
};

function verdictOf(
  error: unknown,
): { readonly outcome: 'untrusted' | 'tampered'; readonly message: string } | undefined {
  if (error instanceof UntrustedEvidenceError)
    return { outcome: error.reason === 'unknown key' ? 'untrusted' : 'tampered', message: error.message };
  return error instanceof MalformedEvidenceError ? { outcome: 'tampered', message: error.message } : undefined;
}

function linesOf({ record, payload, treeSize, logIndex }: ProvedRecord): readonly string[] {
  const fields = Object.entries({ ...record, ...payload }).map(
    ([name, value]) =>
      `  ${oneLine(`${name}: ${value instanceof Date ? value.toISOString() : String(value)}`, LONGEST)}`,
  );
  return [`OK: the record is in batch ${logIndex} of the signed log of ${treeSize}.`, ...fields];
}
