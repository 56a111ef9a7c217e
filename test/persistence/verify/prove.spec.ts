import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProofBundle } from '../../../libs/gatehouse/src/audit/prove/proof.bundle.js';
import { proveRecord } from '../../../libs/gatehouse/src/audit/prove/prove.record.js';
import { verifyProof } from '../../../libs/gatehouse/src/audit/prove/verify.proof.js';
import { PostgresLedgerReader } from '../../../libs/gatehouse/src/persistence/postgres/ledger/reading/postgres.ledger.reader.js';
import { newId } from '../../../libs/gatehouse/src/values/ids.js';
import { generateEd25519Key } from '../../../libs/gatehouse/src/values/transparency/ed25519.keys.js';
import { parseVerifierKey } from '../../../libs/gatehouse/src/values/transparency/verifier.key.js';
import { KEY, ORIGIN, sealedTemplate, type ClonedEvidence, type SealedTemplate } from './sealed.evidence.js';

const TRUST = { keys: [KEY.verifierKey] };

describe('a proof', () => {
  let template: SealedTemplate;
  let evidence: ClonedEvidence;
  let ids: string[];
  beforeAll(async () => {
    template = await sealedTemplate();
    evidence = await template.clone();
    const { rows } = await evidence.client.query<{ id: string }>('SELECT id FROM gatehouse.audit_log ORDER BY id');
    ids = rows.map(({ id }) => id);
  });
  afterAll(async () => {
    await evidence.drop();
    await template.drop();
  });

  const reader = (): PostgresLedgerReader => new PostgresLedgerReader({ connectionString: evidence.url }, 'gatehouse');
  const prove = (id: string, disclose = false): Promise<ProofBundle> => proveRecord(reader(), id, { disclose });
  const withPayload = async (): Promise<string> => {
    const { rows } = await evidence.client.query<{ id: string }>(
      `SELECT id FROM gatehouse.audit_log WHERE kind = 'tool.executed' ORDER BY id LIMIT 1`,
    );
    return rows[0]?.id ?? '';
  };

  it('of every record holds with the key alone, and tells the record', async () => {
    for (const id of ids) {
      const proved = verifyProof(JSON.stringify(await prove(id)), TRUST);
      const { rows } = await evidence.client.query<{ kind: string; at: Date; principal_id: string | null }>(
        'SELECT kind, at, principal_id FROM gatehouse.audit_log WHERE id = $1',
        [id],
      );
      const { kind, at, principalId = null } = proved.record;
      expect({ kind, at, principal_id: principalId }).toEqual(rows[0]);
      expect(proved.payload).toBeUndefined();
    }
    expect(ids.length).toBeGreaterThan(50);
  });

  it('discloses the payload where that is asked for, and only what the record was bound to', async () => {
    const id = await withPayload();
    const bundle = await prove(id, true);
    expect(verifyProof(JSON.stringify(bundle), TRUST).payload).toMatchObject({
      arguments: '{"order":1}',
      ipAddress: '10.0.0.1',
    });
    const forged = {
      ...bundle,
      payload: { ...bundle.payload, body: Buffer.from('{"arguments":"{}"}').toString('base64') },
    };
    expect(() => verifyProof(JSON.stringify(forged), TRUST)).toThrow('not the one the record was bound to');
  });

  it('does not survive a change of any of its parts', async () => {
    const bundle = await prove(ids[5] ?? '');
    const other = await prove(ids.at(-1) ?? '');
    const flipped = (hex: string): string => (hex.startsWith('0') ? '1' : '0') + hex.slice(1);
    const changes: Partial<Record<keyof ProofBundle, unknown>>[] = [
      { id: newId() },
      { leafData: other.leafData, id: other.id },
      { leafData: bundle.leafData.slice(0, -2) },
      { batch: { ...bundle.batch, seq: bundle.batch.seq + 1 } },
      { batch: { ...bundle.batch, root: flipped(bundle.batch.root) } },
      { inBatch: { ...bundle.inBatch, index: bundle.inBatch.index + 1 } },
      { inBatch: { ...bundle.inBatch, hashes: bundle.inBatch.hashes.map(flipped) } },
      { tlogProof: other.tlogProof },
      { tlogProof: bundle.tlogProof.replace(/index \d+/, 'index 999') },
      { format: 'gatehouse-proof@v2' },
    ];
    for (const change of changes) expect(() => verifyProof(JSON.stringify({ ...bundle, ...change }), TRUST)).toThrow();
    expect(() => verifyProof(JSON.stringify(bundle), { keys: [generateEd25519Key(ORIGIN).verifierKey] })).toThrow(
      /key/,
    );
    expect(() => verifyProof('{', TRUST)).toThrow('no valid proof');
    expect(verifyProof(JSON.stringify(bundle), TRUST).record.id).toBe(ids[5]);
  });

  it('is refused for what is unknown or was changed', async () => {
    await expect(prove(newId())).rejects.toThrow('no sealed record');
    await expect(prove('1; DROP')).rejects.toThrow('no sealed record');
    const changed = await template.clone();
    await changed.client.query(`UPDATE gatehouse.audit_log SET status = 'forged' WHERE id = $1`, [ids[3]]);
    const there = new PostgresLedgerReader({ connectionString: changed.url }, 'gatehouse');
    await expect(proveRecord(there, ids[3] ?? '')).rejects.toThrow('not what was sealed');
    await changed.drop();
  });

  describe('in the eyes of others', () => {
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'gatehouse-proof-'));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    it('has a note whose Ed25519 signature OpenSSL accepts over its text, and no other', async () => {
      const { tlogProof } = await prove(ids[0] ?? '');
      const { publicKey } = parseVerifierKey(KEY.verifierKey);
      const x = Buffer.from(publicKey).toString('base64url');
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
      await writeFile(join(folder, 'key.pem'), key.export({ type: 'spki', format: 'pem' }));
      const page = await readFile(new URL('../../../docs/verify.md', import.meta.url), 'utf8');
      const [, ...steps] = ([...page.matchAll(/^```sh\n(.*?)^```$/gms)].at(-1)?.[1] ?? '').trim().split('\n');
      expect(steps).toHaveLength(3);
      // The page's own lines, but for the one that asks the database.
      const accepts = async (note: string): Promise<boolean> => {
        await writeFile(join(folder, 'note'), note);
        const { status, stdout } = spawnSync('sh', ['-ec', steps.join('\n')], { cwd: folder, encoding: 'utf8' });
        return status === 0 && stdout.includes('Verified Successfully');
      };
      const note = tlogProof.slice(tlogProof.indexOf('\n\n') + 2);
      expect(await accepts(note)).toBe(true);
      expect(await accepts(note.replace(ORIGIN, 'example.com/other'))).toBe(false);
    });

    it('leads to the signed root by the algorithm of RFC 9162, section 2.1.3.2, written anew', async () => {
      for (const id of ids.slice(0, 20)) {
        const { leafData, inBatch, batch, tlogProof } = await prove(id);
        const inclusion = inBatch.hashes.map((hash) => Buffer.from(hash, 'hex'));
        const leaf = sha(Buffer.of(0), Buffer.from(leafData, 'hex'));
        expect(climb(leaf, inBatch.index, batch.count, inclusion)).toEqual(Buffer.from(batch.root, 'hex'));
        const [index, size, path, root] = ofTlogProof(tlogProof);
        expect(climb(sha(Buffer.of(0), headerBytes(batch)), index, size, path)).toEqual(root);
      }
    });
  });
});

/** Index, tree size, hashes and root of a C2SP tlog-proof. */
function ofTlogProof(text: string): [number, number, Buffer[], Buffer] {
  const [head = '', ...rest] = text.split('\n\n');
  const [, index = '', ...hashes] = head.split('\n');
  const [, size, root] = (rest[0] ?? '').split('\n');
  return [
    Number(index.replace('index ', '')),
    Number(size),
    hashes.map((hash) => Buffer.from(hash, 'base64')),
    Buffer.from(root ?? '', 'base64'),
  ];
}

/** The bytes of a batch header, as docs/verify.md says. */
function headerBytes({ writerId, seq, count, firstId, lastId, root }: ProofBundle['batch']): Buffer {
  const hex = (text: string): string => text.replaceAll('-', '');
  return Buffer.from(
    `01${hex(writerId)}${seq.toString(16).padStart(16, '0')}${count.toString(16).padStart(8, '0')}${hex(firstId)}${hex(lastId)}${root}`,
    'hex',
  );
}

const sha = (...parts: readonly Buffer[]): Buffer => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
};

function climb(leaf: Buffer, index: number, size: number, path: readonly Buffer[]): Buffer {
  let [fn, sn, r] = [index, size - 1, leaf];
  for (const p of path) {
    if (sn === 0) throw new Error('too long');
    if (fn % 2 === 1 || fn === sn) {
      r = sha(Buffer.of(1), p, r);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
    } else r = sha(Buffer.of(1), r, p);
    [fn, sn] = [Math.floor(fn / 2), Math.floor(sn / 2)];
  }
  if (sn !== 0) throw new Error('too short');
  return r;
}
