import { Query, type Client } from 'pg';

/** A row as text, as the database writes it. */
export type TextRow = readonly (string | null)[];

// Everything is read as it is written: who visits knows what it asked for.
const AS_TEXT = { getTypeParser: () => (text: string) => text } as never;

/**
 * Runs a query and hands each row on as it arrives, so that no result is ever held as a whole. Not a cursor: those are never run in parallel. A
 * visitor that throws fails the whole; what is left is read and dropped.
 */
export function streamRows(
  client: Client,
  text: string,
  values: readonly unknown[],
  visit: (row: TextRow) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: { readonly error: unknown } | undefined;
    const config = { text, values: [...values], types: AS_TEXT, rowMode: 'array' as const };
    const query = new Query<string[]>(config);
    query.on('row', (row) => {
      if (failure !== undefined) return;
      try {
        visit(row);
      } catch (error) {
        failure = { error };
      }
    });
    query.on('error', reject);
    query.on('end', () => (failure === undefined ? resolve() : reject(failure.error as Error)));
    client.query(query);
  });
}

/** `bytea` as text. */
export const bytesOf = (text: string | null | undefined): Buffer => Buffer.from((text ?? '').slice(2), 'hex');
