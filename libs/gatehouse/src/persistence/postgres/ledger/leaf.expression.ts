import { LEAF_CODEC } from '../../../values/ledger/leaf.data.js';
import { LEDGER_COLUMNS, type LedgerType } from '../../../values/ledger/ledger.columns.js';

const hex = (...bytes: readonly number[]): string => `'\\x${Buffer.from(bytes).toString('hex')}'::bytea`;

/**
 * SQL for the RFC 6962 leaf hash of a row of `audit_log`, of built-in functions alone: an auditor can paste it, and nothing that is stored can
 * change what it means.
 *
 * @param alias of the table
 */
export function leafExpression(alias: string): string {
  const columns = LEDGER_COLUMNS.map(({ tag, name, type }) => encoded(tag, `${alias}.${name}`, type));
  return `sha256(${hex(0, LEAF_CODEC)} || ${columns.join(' || ')})`;
}

// What is NULL is not encoded: concatenation with NULL is NULL.
function encoded(tag: number, column: string, type: LedgerType): string {
  return `coalesce(${ENCODED[type](hex(tag), column)}, ''::bytea)`;
}

const fixed =
  (length: number, send: string) =>
  (tag: string, column: string): string =>
    `${tag} || ${hex(0, 0, 0, length)} || ${send}(${column})`;

const ENCODED: Readonly<Record<LedgerType, (tag: string, column: string) => string>> = {
  uuid: fixed(16, 'uuid_send'),
  timestamptz: fixed(8, 'timestamptz_send'),
  integer: fixed(4, 'int4send'),
  bigint: fixed(8, 'int8send'),
  boolean: fixed(1, 'boolsend'),
  text: (tag, column) => `${tag} || int4send(octet_length(${column})) || convert_to(${column}, 'UTF8')`,
  bytea: (tag, column) => `${tag} || int4send(octet_length(${column})) || ${column}`,
};
