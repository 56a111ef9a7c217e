import { EvidenceWriter } from '../../libs/gatehouse/src/audit/evidence.writer.js';
import { SealKeys } from '../../libs/gatehouse/src/audit/seal/seal.keys.js';
import { Sealer } from '../../libs/gatehouse/src/audit/seal/sealer.js';
import type { Anchor } from '../../libs/gatehouse/src/contracts/ports/anchor.js';
import type { ResolvedOptions } from '../../libs/gatehouse/src/contracts/resolved.options.js';
import { PostgresEvidenceLog } from '../../libs/gatehouse/src/persistence/postgres/postgres.evidence.log.js';
import { PostgresSealStore } from '../../libs/gatehouse/src/persistence/postgres/ledger/postgres.seal.store.js';
import { generateEd25519Key } from '../../libs/gatehouse/src/values/transparency/ed25519.keys.js';
import type { OpenedDatabase } from './opened.database.js';

export const ORIGIN = 'example.com/audit';
export const KEY = generateEd25519Key(ORIGIN);

/** A process that seals, of which each round is asked for. */
export interface Sealing {
  readonly sealer: Sealer;
  readonly writer: EvidenceWriter;
  readonly store: PostgresSealStore;
}

export function sealing(
  test: OpenedDatabase,
  { keys = [KEY.privateKeyPem], anchors = [] }: { keys?: readonly string[]; anchors?: readonly Anchor[] } = {},
): Sealing {
  const options = {
    persistence: { schema: 'gatehouse', migrations: 'off' },
    runs: { drain: 5000 },
    audit: {
      queue: { records: 10_000, bytes: 2 ** 26 },
      seal: { origin: ORIGIN, keys, interval: 3_600_000, heartbeat: 3_600_000, anchors },
    },
  } as unknown as ResolvedOptions;
  // What a test appends is of another process than the one that seals.
  test.log.open({ host: 'test', pid: process.pid, version: '0' });
  const store = new PostgresSealStore(test.database);
  const writer = new EvidenceWriter(new PostgresEvidenceLog(test.database), options);
  const sealer = new Sealer(store, new SealKeys(options), writer, options);
  return { sealer, writer, store };
}
