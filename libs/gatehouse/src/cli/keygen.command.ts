import { writeFile } from 'node:fs/promises';
import { generateEd25519Key } from '../values/transparency/ed25519.keys.js';
import { EXIT } from './exit.codes.js';
import { does, print, subcommand, type CommonOptions, type Register } from './subcommand.js';

interface KeygenOptions extends CommonOptions {
  readonly name: string;
  readonly out?: string;
}

/** Makes a key that signs the evidence. */
export const register: Register = (program, terminal) => {
  const command = subcommand(program, 'keygen', 'make an Ed25519 key that signs the evidence')
    .requiredOption('--name <name>', 'name of the log, a URL without its scheme such as example.com/audit')
    .option('--out <file>', 'write the secret to a new file that only its owner reads, instead of printing it');
  does<KeygenOptions>(command, terminal, async (options) => {
    const { seed, verifierKey } = generateEd25519Key(options.name);
    const verifier = `For those who verify: ${verifierKey}`;
    const next = `Set audit.seal.origin to '${options.name}', for good, and audit.seal.key, or GATEHOUSE_SEAL_KEY, to the secret.`;
    if (options.out === undefined) {
      print(terminal, options, { seed, verifierKey }, [`The secret, audit.seal.key: ${seed}`, verifier, next]);
      return EXIT.ok;
    }
    await writeFile(options.out, `${seed}\n`, { mode: 0o600, flag: 'wx' });
    print(terminal, options, { file: options.out, verifierKey }, [`The secret is in ${options.out}.`, verifier, next]);
    return EXIT.ok;
  });
};
