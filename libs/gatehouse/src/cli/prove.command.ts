import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { proveRecord } from '../audit/prove/prove.record.js';
import { TLOG_PROOF_EXTENSION } from '../values/transparency/tlog.proof.js';
import { urlOf, withDatabase, type DatabaseOptions } from './connection.js';
import { EXIT } from './exit.codes.js';
import { does, print, subcommand, type Register } from './subcommand.js';

interface ProveCommandOptions extends DatabaseOptions {
  readonly disclose?: boolean;
  readonly out?: string;
}

/** Exports the proof of one record. */
export const register: Register = (program, terminal) => {
  const command = withDatabase(subcommand(program, 'prove', 'export what proves one record without the database'))
    .argument('<id>', 'of the record')
    .option('--disclose', 'with its texts: arguments, result, error, address')
    .option('--out <folder>', `write <id>.json and <id>${TLOG_PROOF_EXTENSION} there, instead of printing the JSON`);
  does<ProveCommandOptions>(command, terminal, async (options, [id = '']) => {
    const { PostgresLedgerReader } = await import('../persistence/postgres/ledger/reading/postgres.ledger.reader.js');
    const reader = new PostgresLedgerReader({ connectionString: urlOf(options, terminal) }, options.schema);
    const proof = await proveRecord(reader, id, { disclose: options.disclose === true });
    const text = `${JSON.stringify(proof, null, 2)}\n`;
    if (options.out === undefined) {
      terminal.out(text);
      return EXIT.ok;
    }
    const base = join(options.out, proof.id);
    await mkdir(options.out, { recursive: true });
    await writeFile(`${base}.json`, text);
    await writeFile(`${base}${TLOG_PROOF_EXTENSION}`, proof.tlogProof);
    const files = [`${base}.json`, `${base}${TLOG_PROOF_EXTENSION}`];
    print(terminal, options, { files }, files);
    return EXIT.ok;
  });
};
