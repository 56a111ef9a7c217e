import { Client } from 'pg';

/** The rows of one statement, over a connection of its own. */
export async function sqlOn<T>(url: string, text: string, values: readonly unknown[] = []): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows as T[];
  } finally {
    await client.end();
  }
}
