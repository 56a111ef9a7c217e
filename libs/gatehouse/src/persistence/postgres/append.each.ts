import { Logger } from '@nestjs/common';
import { StorageUnavailableError } from '../../contracts/errors/storage-unavailable.error.js';
import { errorCode, isPoison } from './driver.errors.js';

// Bounds the memory of one statement, not its parameters: those are one array per column.
const MOST = 1000;

/**
 * Appends records in statements of at most 1000. Where the database refuses a value, the batch is halved until the one record that carries it
 * stands alone; that one is dropped and logged, the others are kept.
 */
export async function appendEach<T extends { readonly id: string }>(
  records: readonly T[],
  append: (some: readonly T[]) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < records.length; at += MOST) await appendOrHalve(records.slice(at, at + MOST), append);
}

async function appendOrHalve<T extends { readonly id: string }>(
  records: readonly T[],
  append: (some: readonly T[]) => Promise<void>,
): Promise<void> {
  try {
    await append(records);
  } catch (error) {
    const cause = error instanceof StorageUnavailableError ? error.cause : error;
    if (!isPoison(cause)) throw error;
    if (records.length === 1) {
      // Not the driver's words: they quote the value.
      new Logger('gatehouse.evidence').error(
        `The database refused a record (SQLSTATE ${errorCode(cause)}); it is lost, the others are kept.`,
      );
      return;
    }
    const middle = records.length >> 1;
    await appendOrHalve(records.slice(0, middle), append);
    await appendOrHalve(records.slice(middle), append);
  }
}
