import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ed25519Signer, ed25519VerifierKey, generateEd25519Key } from './ed25519.keys.js';

// RFC 8032, section 7.1, test 2.
const SEED = Buffer.from('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb', 'hex');
const PUBLIC = Buffer.from('3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c', 'hex');
const SIGNATURE = Buffer.from(
  '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  'hex',
);
const MESSAGE = Buffer.of(0x72);

const { privateKey: rsa } = generateKeyPairSync('rsa', { modulusLength: 1024 });
const rsaPem = rsa.export({ type: 'pkcs8', format: 'pem' }).toString();

describe('ed25519Signer', () => {
  it('signs as RFC 8032 says, from a seed', async () => {
    const signer = ed25519Signer('log.example', ` ${SEED.toString('base64')}\n`);
    expect(signer.name).toBe('log.example');
    expect(signer.publicKey).toEqual(PUBLIC);
    expect(await signer.sign(MESSAGE)).toEqual(SIGNATURE);
  });

  it('never shows the secret, neither when it is logged nor in an error', () => {
    const { seed, signer } = generateEd25519Key('log.example');
    expect(JSON.stringify(signer)).not.toContain(seed);
    expect(Object.keys(signer).sort()).toEqual(['name', 'publicKey']);
    const wrong = `${seed.slice(0, -1)}A`;
    expect(() => ed25519Signer('log.example', wrong)).toThrow(
      'This is no valid Ed25519 key: the secret is neither a PEM nor the base64 of 32 bytes. Use it exactly as it was issued.',
    );
  });

  it.each([
    ['the secret is neither a PEM nor the base64 of 32 bytes', ''],
    ['the secret is neither a PEM nor the base64 of 32 bytes', SEED.subarray(1).toString('base64')],
    ['the secret is neither a PEM nor the base64 of 32 bytes', SEED.toString('hex')],
    ['the PEM cannot be read', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
    ['the PEM holds a key of type rsa', rsaPem],
  ])('refuses a secret: %s', (problem, secret) => {
    expect(() => ed25519Signer('log.example', secret)).toThrow(problem);
  });

  it('refuses a name that is no key name', () => {
    expect(() => ed25519Signer('my log', SEED.toString('base64'))).toThrow("'my log' is no key name");
  });
});

describe('generateEd25519Key', () => {
  it('hands out one key in all its forms', async () => {
    const made = generateEd25519Key('log.example');
    const forms = [
      made.signer,
      ed25519Signer('log.example', made.seed),
      ed25519Signer('log.example', made.privateKeyPem),
    ];
    const signatures = await Promise.all(forms.map(async (signer) => signer.sign(MESSAGE)));
    expect(new Set(signatures.map((one) => Buffer.from(one).toString('hex'))).size).toBe(1);
    expect(ed25519VerifierKey(made.verifierKey).verifies(MESSAGE, signatures[0] ?? MESSAGE)).toBe(true);
    expect(generateEd25519Key('log.example').seed).not.toBe(made.seed);
  });
});

describe('ed25519VerifierKey', () => {
  const { verifierKey, privateKeyPem, signer } = generateEd25519Key('log.example');
  const raw = Buffer.from(signer.publicKey).toString('base64');

  it('reads a vkey, whose name it may check', () => {
    expect(ed25519VerifierKey(` ${verifierKey}\n`).name).toBe('log.example');
    expect(ed25519VerifierKey(verifierKey, 'log.example').publicKey).toEqual(signer.publicKey);
    expect(() => ed25519VerifierKey(verifierKey, 'other.example')).toThrow(
      "the verifier key is named 'log.example', not 'other.example'",
    );
  });

  it('reads the bare public key under a name', () => {
    expect(ed25519VerifierKey(raw, 'log.example').id).toBe(ed25519VerifierKey(verifierKey).id);
    expect(() => ed25519VerifierKey(raw)).toThrow('pass the name of this key');
  });

  it('refuses what is no public key', () => {
    for (const bad of ['', 'hello', raw.slice(4), `${raw}AAAA`])
      expect(() => ed25519VerifierKey(bad, 'log.example')).toThrow('no valid');
    expect(() => ed25519VerifierKey(rsaPem, 'log.example')).toThrow('the PEM holds a key of type rsa');
    expect(() => ed25519VerifierKey(privateKeyPem)).toThrow('pass the name of this key');
  });
});

// Where there is no openssl, node:crypto reads its PEM, so that the forms are proved everywhere.
describe('what another program makes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ed25519-'));
  const at = (file: string): string => join(folder, file);
  const openssl = (...args: string[]): string => spawnSync('openssl', args, { encoding: 'utf8' }).stdout;
  const hasOpenssl = spawnSync('openssl', ['version']).status === 0;
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const pair = (): { secret: string; shared: string } => {
    if (!hasOpenssl) {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      return { secret, shared: publicKey.export({ type: 'spki', format: 'pem' }).toString() };
    }
    openssl('genpkey', '-algorithm', 'ed25519', '-out', at('secret.pem'));
    return {
      secret: openssl('pkey', '-in', at('secret.pem')),
      shared: openssl('pkey', '-in', at('secret.pem'), '-pubout'),
    };
  };

  it('is read: a secret PEM signs for the public PEM', async () => {
    const { secret, shared } = pair();
    const signature = await ed25519Signer('log.example', secret).sign(MESSAGE);
    expect(ed25519VerifierKey(shared, 'log.example').verifies(MESSAGE, signature)).toBe(true);
    if (!hasOpenssl) return;
    writeFileSync(at('shared.pem'), shared);
    writeFileSync(at('message'), MESSAGE);
    writeFileSync(at('signature'), signature);
    const verdict = ['pkeyutl', '-verify', '-pubin', '-inkey', at('shared.pem'), '-rawin', '-in', at('message')];
    expect(openssl(...verdict, '-sigfile', at('signature'))).toContain('Signature Verified Successfully');
    writeFileSync(at('message'), Buffer.of(0x73));
    expect(openssl(...verdict, '-sigfile', at('signature'))).not.toContain('Successfully');
  });
});
