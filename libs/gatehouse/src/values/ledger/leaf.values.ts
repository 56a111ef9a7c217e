import type { LedgerType } from './ledger.columns.js';

/** A value that its column cannot hold. Says which column, never the value. */
export class UnstorableValue extends RangeError {
  constructor(
    readonly field: string,
    type: LedgerType,
  ) {
    super(`'${field}' of the record is no ${type} that can be stored.`);
  }
}

const LONGEST_UUID = 36;
const NONE = 255;
const HEX = new Uint8Array(256).fill(NONE);
for (let digit = 0; digit < 16; digit += 1) {
  const text = digit.toString(16);
  HEX[text.charCodeAt(0)] = digit;
  HEX[text.toUpperCase().charCodeAt(0)] = digit;
}
const DASH = 45;
const DASHES: readonly number[] = [8, 13, 18, 23];

/** A uuid in its usual form; -1 for anything else. */
export function writeUuid(bytes: Buffer, at: number, text: string): number {
  if (text.length !== LONGEST_UUID) return -1;
  let to = at;
  for (let from = 0; from < LONGEST_UUID; from += 2) {
    if (DASHES.includes(from)) {
      if (text.charCodeAt(from) !== DASH) return -1;
      from += 1;
    }
    const high = HEX[text.charCodeAt(from)] ?? NONE;
    const low = HEX[text.charCodeAt(from + 1)] ?? NONE;
    if ((high | low) > 15) return -1;
    bytes[to] = (high << 4) | low;
    to += 1;
  }
  return 16;
}

const LONGEST_ASCII = 64;

/** UTF-8. Short ASCII, which most names are, without a call into the runtime. */
export function writeText(bytes: Buffer, at: number, text: string): number {
  const { length } = text;
  if (length > LONGEST_ASCII) return bytes.write(text, at, 'utf8');
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 127) return bytes.write(text, at, 'utf8');
    bytes[at + index] = code;
  }
  return length;
}

/** Big endian; -1 for what is not exact. */
export function writeInt64(bytes: Buffer, at: number, value: number): number {
  if (!Number.isSafeInteger(value)) return -1;
  const high = Math.floor(value / 2 ** 32);
  bytes.writeInt32BE(high, at);
  bytes.writeUInt32BE(value - high * 2 ** 32, at + 4);
  return 8;
}
