import { parseCheckpoint, verifyCheckpoint } from './checkpoint.js';
import { consistencyProofOf, verifyConsistency } from './consistency.proof.js';
import { ed25519Signer } from './ed25519.keys.js';
import { inclusionProofOf, verifyInclusion } from './inclusion.proof.js';
import { leafHash, rootOf } from './merkle.tree.js';
import { signNote } from './note.signing.js';
import { verifyNote } from './note.verifying.js';
import { formatNote, parseNote } from './signed.note.js';
import { formatTlogProof, verifyTlogProof } from './tlog.proof.js';
import { formatVerifierKey, parseVerifierKey, verifierKey } from './verifier.key.js';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const base64 = (text: string): Buffer => Buffer.from(text, 'base64');

describe('the test vectors of Certificate Transparency (RFC 6962)', () => {
  const data = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
  const leaves = data.map((text) => leafHash(hex(text)));
  const roots = [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ];

  it('have our roots, for every size', () => {
    expect(roots.map((_, size) => rootOf(leaves.slice(0, size)).toString('hex'))).toEqual(roots);
  });

  it.each([
    [0, 1, []],
    [
      0,
      8,
      [
        '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
      ],
    ],
    [
      5,
      8,
      [
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
        'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    ],
    [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
    [
      1,
      5,
      [
        '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      ],
    ],
  ])('have our inclusion proof of leaf %d of %d', (index, size, expected) => {
    const proof = inclusionProofOf(leaves.slice(0, size), index);
    expect(proof).toEqual({ index, size, hashes: expected.map(hex) });
    expect(verifyInclusion(leaves[index]!, proof, hex(roots[size]!))).toBe(true);
  });

  it.each([
    [1, 1, []],
    [
      1,
      8,
      [
        '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
      ],
    ],
    [
      6,
      8,
      [
        '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
        'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    ],
    [
      2,
      5,
      [
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      ],
    ],
  ])('have our consistency proof from %d to %d', (from, to, expected) => {
    const proof = consistencyProofOf(leaves.slice(0, to), from);
    expect(proof).toEqual({ from, to, hashes: expected.map(hex) });
    expect(verifyConsistency(hex(roots[from]!), hex(roots[to]!), proof)).toBe(true);
  });
});

describe('the example of C2SP signed-note', () => {
  const vkey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
  const note =
    'This is an example message.\n\n' +
    '— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';

  it('is verified by its key, and by no other', () => {
    const key = parseVerifierKey(vkey);
    expect(formatVerifierKey(key)).toBe(vkey);
    expect(verifyNote(note, [key])).toEqual({ text: 'This is an example message.\n', signedBy: [key], unknown: [] });
    const other = verifierKey('example.com/foo', Buffer.alloc(32, 9));
    expect(() => verifyNote(note, [other])).toThrow('No trusted key signed this note.');
    expect(() => verifyNote(note.replace('example message', 'Example message'), [key])).toThrow('is false');
  });

  it('with empty lines in its text is split at the last', () => {
    const poem = 'Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n';
    const line =
      '— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n';
    const parsed = parseNote(`${poem}\n${line}`);
    expect(parsed.text).toBe(poem);
    expect(parsed.signatures).toMatchObject([{ name: 'quasimodo.example/salvatore', keyId: '367ba04b' }]);
    expect(formatNote(parsed)).toBe(`${poem}\n${line}`);
  });
});

describe('the example of C2SP tlog-checkpoint', () => {
  it('is read, and written again the same', () => {
    const text = 'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
    const line =
      '— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n';
    expect(parseNote(`${text}\n${line}`).text).toBe(text);
    expect(parseCheckpoint(text)).toEqual({
      origin: 'example.com/behind-the-sofa',
      size: 20_852_163,
      root: base64('CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I='),
    });
  });
});

describe("the test vectors of Go's signed notes", () => {
  const vkey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
  const enoch = parseVerifierKey('EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop');
  const peter = parseVerifierKey(vkey);
  // The private key there is 'PRIVATE+KEY+PeterNeumann+c74f20a3+' and this in base64, after the type byte.
  const seed = base64('AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz').subarray(1).toString('base64');
  const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
  const peterLine =
    '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
  const enochLine =
    '— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n';

  it('are signed by us to the same bytes', async () => {
    const signer = ed25519Signer('PeterNeumann', seed);
    expect(formatVerifierKey(verifierKey(signer.name, signer.publicKey))).toBe(vkey);
    expect(await signNote(text, [signer])).toBe(`${text}\n${peterLine}`);
  });

  it('are verified for one known key or two', () => {
    const note = `${text}\n${peterLine}${enochLine}`;
    expect(verifyNote(note, [peter, enoch])).toEqual({ text, signedBy: [peter, enoch], unknown: [] });
    expect(verifyNote(note, [peter])).toMatchObject({
      signedBy: [peter],
      unknown: [{ name: 'EnochRoot', keyId: 'af0cfe78' }],
    });
    expect(verifyNote(`${text}\n${peterLine.repeat(100)}`, [peter]).signedBy).toEqual([peter]);
  });

  it.each([
    text,
    `${text}\n`,
    `${text}\n${peterLine.slice(0, -1)}`,
    `\u0001${text}\n${peterLine}`,
    Buffer.concat([Buffer.of(0xff), Buffer.from(`${text}\n${peterLine}`)]),
    `${text}\n${peterLine.replace('PeterNeumann', 'Bad Name')}`,
    `${text}\n${peterLine}Unexpected line.\n`,
    `${text}\n${peterLine.repeat(101)}`,
  ])('are refused where they are malformed: %j', (note) => {
    expect(() => verifyNote(note, [peter])).toThrow('This is no valid signed note: ');
  });

  it('have keys of which no part or change is a key', () => {
    for (let from = 0; from <= vkey.length; from += 1)
      for (let to = from + 1; to <= vkey.length; to += 1)
        if (to - from < vkey.length)
          expect(() => parseVerifierKey(vkey.slice(from, to))).toThrow('no valid verifier key');
    for (let at = 0; at < vkey.length; at += 1) {
      const next = String.fromCharCode(vkey.charCodeAt(at) + 1);
      expect(() => parseVerifierKey(vkey.slice(0, at) + next + vkey.slice(at + 1))).toThrow('no valid verifier key');
    }
    const tooLong = 'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY==';
    const otherType = 'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
    for (const bad of [tooLong, otherType]) expect(() => parseVerifierKey(bad)).toThrow('no valid verifier key');
  });
});

describe('the public Go checksum database, a log of 54 million leaves', () => {
  const key = parseVerifierKey('sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8');
  const log = { origin: 'go.sum database tree', keys: [key] };
  const index = 10_738_965;
  const record =
    'gopkg.in/yaml.v3 v3.0.1 h1:fxVm/GzAzEWqLHuvctI91KS9hhNmmWOoWu0XTYJS7CA=\n' +
    'gopkg.in/yaml.v3 v3.0.1/go.mod h1:K4uyk7z7BCEPqu6E+C64Yfv1cQ7kz7rIZviUmN+EgEM=\n';
  const earlier =
    'go.sum database tree\n54715574\nFUQBK+dBbFoa4DioEhMzkxn0fazBN3B6r+ZlT1TImNc=\n\n' +
    '— sum.golang.org Az3grpRUpAlGqlrE8Ie1d6i2+5RqP+xweAW4Xc9QpBw2VsHnIh08nNr5Gcbrq7A4N8eqbP15ABesspft4PXzZsLSfAU=\n';
  const later =
    'go.sum database tree\n54717027\nX8mO+rr4u+lIE2vmoFwuTa3LI038lIvvPEB3B2p3X7g=\n\n' +
    '— sum.golang.org Az3gruu60QOJ6mBYsURIUNeOq31xHaYKpFtaDmHUozy5UJ7qrnE9V9HTMiiZ+njWC6dQ9O2sDPoctRg4BM626vaS/QM=\n';
  const inclusion = [
    'vM+Zoj1IfCtvgzeGfX65uyxKRv6c3Oy1XOHyNsLGH7I=',
    'FKZH/HXbpnny8TcNDpDUnv7if0abKXYOjNqxatSDs7Y=',
    'kxo4jyd09UGFLtQYhRBM/iQIw69P9Vw2HnT84TalTp0=',
    'Dz5Y9oPEBSsL9fI89qwo1dpjTk6QF7RHrQMhMhw3nNQ=',
    'A00qtFWjl5osF48lahxu4lw3gc9ilZ4yOGqKsXw1mfo=',
    'g+kiNJF0SzeThJHZg+C+LQylRpxfHzze9AnxBPnbQFw=',
    'hf04vS9d/PkBLdxLH/owu0IAB4TzljFPRg1L/4wz4dQ=',
    'l/pCXb3lNPr3XoLunwaizcWagmsYfvU2HLtaoqrLagI=',
    'c0KSa8YtRjnN8Hl+AaBYZd5chtSuYAd1WV6RYjsUJTE=',
    'jbso36GURiBPCIoe7mAODgge6wEptt2wVzsFJI4Z2XI=',
    '/tWamSzQPfn6RtsOFNabj027hEtEkb9Aih9fey+FMYE=',
    'KbG/HD/cdjLi7sV6ooP9Y9ZVgg4PN9YunQK7Il1khRg=',
    'k5et4PR5IvIKZcISBopja6RyyuE4fCTA/NMJEC37PeI=',
    'p++AVJLzyw3Y08Mm0KwIjIEOnfJlKGa67yrIXy57+iM=',
    'p9fWMonF7h7CbgX6B04YRU2VqCbrbBWtu96INQpJf9M=',
    'Y4yT7OblBqsuhYPk3l7BOYsvalz/UYafby1XWDd7LCo=',
    '6pfMcDplbU0c27LwEp82ZNpgNEthZyPk81kNvRgB9Dg=',
    '+vDR8xppB1AYVW3TY9Cv2TmlFYjebvqfA1yDf3tMz3A=',
    '17DjpsQUMaQJPTTal0U/gWKGczw3j5LrnuYNPIWLWRE=',
    'VJ2cn3rGgxho2lxwCSo/Ov7CQ28TGmzmDHbd0jlucRQ=',
    'nIRuzymbjzJlsjA+EqvhWQ8+pNgGnPCM6ky8MeXW/tQ=',
    'udRjhEO3cF7L32j7Q10R5wvQUePEcEcbtRwJ5/Md75U=',
    'zAqn6H1b1nXY+WEE0oXtcxeR0ZK0SAkXNZevmpPr+pA=',
    '/aUpTUlzK5BioQh7tUCcS1LgK65RPE5w5KuZLXwSa7I=',
    'zesWuZw10TEJInNKrllG2PEgH8cKacLp6LY5WpXGOcY=',
    'lttMqOwwB1gRDbJ/CiiGokyzgSthSxByrfkoeIMmVIk=',
  ];
  const consistency = [
    '7f/obfEoW4jIbJZyRyz34jfj6eITEHb/iv6NkozjCvo=',
    'bcvksSMiPWC2Xun0HO+6R5NshOUGIoGDO1y/U8t1pnc=',
    '/jlWp82whNKvvdxcVJxDJhwRP6lPGemB+NQJJ31WZvI=',
    'G+9NULqJ6s2rLSIeQSqCVfcUB7E3SwQnUQxf1GGa2UA=',
    'XFWOxVd30gBEhvqqzRNOPRaK2fWctUfydQGnl2WcxKw=',
    '2mQ09/sA/kjOrV/OjHK1ceZA9e2+pUfqyPIsM5NtPck=',
    'aNuXqNkaFPG/qITLSTRgmeVmp0dwLqP5h6gdKs2Kx4I=',
    'Gg/PbcCR4uN+7hcPb6sO1Q9FegUqKsVq0YnX9rVoB+Q=',
    'fhHSFHDclh3YRVq6qNltVv2Xd/6Dm7pWoWGCa5GJ8v4=',
    'JtiEzKsXCSpvr+vx1He2rdzf+RCepR5riQ+skC40Oig=',
    'mZlAmQMqppdW3f/TNsJzj+azEh3Ijyr23tEh+gqNWEs=',
    'LRoK75Fl9Xm/WwEIaTWhDfGQhrUueYYA3wPj+rj/MMk=',
    'OLpOVyADdNPvwfq9Rg93rYScfgug3yfzvaWVfZmqxHk=',
    '17Gvxx5iaYiTLGjdBCBUK1QIkjiu7ZfV08fIqXw35C4=',
    'gwSputUthSEyzllKMFLaAsdOCuwR/d0bRMPxUnmQ4IU=',
    'LTeRjLNQrs2XohrHPK+i0suyG0bVpk2qTmxNB7qdEMc=',
    'MdOpnRMfUoL32HLkVBWTCaT4Zo6BT5bFmNeOGpopF5o=',
    '/WnQtddEqG03mbcU1XID1iws1nlKHVkJcaREWknCOiE=',
    'xJ20xXM4QItt5vxFOtolZ5l18p7ej1+RimNkgWmoRFM=',
  ];

  it('has a record that a proof file of ours proves', () => {
    const file = formatTlogProof({ index, hashes: inclusion.map(base64), checkpoint: earlier });
    expect(verifyTlogProof(file, leafHash(Buffer.from(record)), log)).toEqual({
      index,
      checkpoint: {
        origin: 'go.sum database tree',
        size: 54_715_574,
        root: base64('FUQBK+dBbFoa4DioEhMzkxn0fazBN3B6r+ZlT1TImNc='),
        signedBy: [key],
      },
    });
    expect(() => verifyTlogProof(file, leafHash(Buffer.from(record.replace('v3.0.1', 'v3.0.2'))), log)).toThrow(
      `The record is not leaf ${index} of the signed tree of 54715574`,
    );
  });

  it('grew without changing what it had', () => {
    const [first, second] = [verifyCheckpoint(earlier, log), verifyCheckpoint(later, log)];
    const proof = { from: first.size, to: second.size, hashes: consistency.map(base64) };
    expect(verifyConsistency(first.root, second.root, proof)).toBe(true);
    expect(verifyConsistency(second.root, first.root, proof)).toBe(false);
  });
});
