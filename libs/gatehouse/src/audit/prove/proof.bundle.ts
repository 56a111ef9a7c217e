import { MalformedEvidenceError } from '../../contracts/errors/malformed-evidence.error.js';

/**
 * Everything that proves one record without the database, as one JSON document. Bytes are hexadecimal, but for `body`, which is base64.
 *
 * The way up: SHA-256 of `00` and `leafData` is leaf `inBatch.index` of a tree of `batch.count`, whose root is `batch.root`; SHA-256 of `00` and the bytes
 * of the header (docs/verify.md) is the leaf that `tlogProof` (C2SP tlog-proof) is about.
 */
export interface ProofBundle {
  readonly format: 'gatehouse-proof@v1';
  readonly id: string;
  /** The encoded record. */
  readonly leafData: string;
  readonly inBatch: { readonly index: number; readonly hashes: readonly string[] };
  readonly batch: {
    readonly writerId: string;
    readonly seq: number;
    readonly count: number;
    readonly firstId: string;
    readonly lastId: string;
    readonly root: string;
  };
  /** The text of a `.tlog-proof` file. */
  readonly tlogProof: string;
  /** Disclosed: what the record's commitment was made of. */
  readonly payload?: { readonly salt: string; readonly body: string };
}

const HEX = /^([0-9a-f]{2})*$/;
const MOST = 10_000_000;

/** Reads a bundle, without believing it. @throws MalformedEvidenceError */
export function parseProof(text: string): ProofBundle {
  const parsed = text.length > MOST ? undefined : parse(text);
  if (isBundle(parsed)) return parsed;
  throw new MalformedEvidenceError('proof', "it is no JSON of the format 'gatehouse-proof@v1'");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isBundle(given: unknown): given is ProofBundle {
  if (!isObject(given) || given['format'] !== 'gatehouse-proof@v1') return false;
  const { id, leafData, inBatch, batch, tlogProof, payload } = given;
  return (
    typeof id === 'string' &&
    isHex(leafData) &&
    isObject(inBatch) &&
    isCount(inBatch['index']) &&
    Array.isArray(inBatch['hashes']) &&
    inBatch['hashes'].every(isHex) &&
    isHeader(batch) &&
    typeof tlogProof === 'string' &&
    (payload === undefined || (isObject(payload) && isHex(payload['salt']) && typeof payload['body'] === 'string'))
  );
}

const isHeader = (given: unknown): boolean =>
  isObject(given) &&
  [given['writerId'], given['firstId'], given['lastId']].every(isUuidText) &&
  isCount(given['seq']) &&
  isCount(given['count']) &&
  given['count'] < 2 ** 31 &&
  isHex(given['root']);

const isObject = (given: unknown): given is Record<string, unknown> => typeof given === 'object' && given !== null;
const isHex = (given: unknown): given is string => typeof given === 'string' && HEX.test(given);
const isCount = (given: unknown): given is number => Number.isSafeInteger(given) && (given as number) >= 0;
const isUuidText = (given: unknown): boolean =>
  typeof given === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(given);
