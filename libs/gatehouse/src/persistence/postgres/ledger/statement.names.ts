import { errorCode } from '../driver.errors.js';

// Each costs memory of the server, on every connection.
const MOST = 32;
// "Does not exist" and "exists already": a pooler in between hands statements to other connections.
const MIXED_UP = new Set(['26000', '42P05']);

/** Whether an error is about prepared statements alone: the same works without. */
export const isMixedUp = (error: unknown): boolean => MIXED_UP.has(errorCode(error));

/** Names under which statements stay prepared, for the first texts that come; none any more once a pooler mixed them up. */
export class StatementNames {
  private readonly names = new Map<string, string>();
  private trusted = true;

  of(text: string): string | undefined {
    if (!this.trusted) return undefined;
    const known = this.names.get(text);
    if (known !== undefined || this.names.size >= MOST) return known;
    const name = `gatehouse_batch_${this.names.size + 1}`;
    this.names.set(text, name);
    return name;
  }

  doubt(error: unknown): void {
    if (isMixedUp(error)) this.trusted = false;
  }
}
