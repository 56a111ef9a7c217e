import type { KnownWriter, LedgerSnapshot, UnsealedBatch } from '../../contracts/ports/ledger.reader.js';
import type { Findings } from './findings.js';
import { PATIENCE_MS } from './notices.check.js';

/**
 * Tells of batches that nobody sealed, and of writers that stopped without a word.
 *
 * @param sealed the number of each writer's last batch in the global log
 * @returns how many batches are not sealed
 */
export async function checkWriters(
  snapshot: LedgerSnapshot,
  findings: Findings,
  sealed: ReadonlyMap<string, number>,
): Promise<number> {
  const writers = new Map((await snapshot.writers()).map((writer) => [writer.id, writer]));
  for (const writer of writers.values()) checkWriter(writer, sealed.get(writer.id) ?? 0, findings);
  let unsealed = 0;
  const last = new Map(sealed);
  await snapshot.unsealed((batch) => {
    const { writerId, seq } = batch.header;
    unsealed += 1;
    checkNumber(batch, last.get(writerId) ?? 0, findings);
    last.set(writerId, seq);
    checkUnsealed(batch, writers.get(writerId), findings);
  });
  if (unsealed > 0) findings.unchecked(`${unsealed} batches against a signature: they are not sealed yet`);
  return unsealed;
}

function checkNumber({ header: { writerId, seq, firstId } }: UnsealedBatch, before: number, findings: Findings): void {
  if (seq === before + 1) return;
  if (seq <= before)
    return findings.fault(
      'batch out of order',
      { writerId, seq, id: firstId },
      `Batch ${seq} of this writer is not in the log, which has its batch ${before}: it was added, or taken out of the log.`,
    );
  findings.shortfall(
    'missing batch',
    { writerId, seq: before + 1 },
    `Batch ${before + 1} of this writer is missing, ${seq} is there.`,
  );
}

function checkUnsealed({ header, ageMs }: UnsealedBatch, writer: KnownWriter | undefined, findings: Findings): void {
  const { writerId, seq, count, firstId } = header;
  const place = { writerId, seq, id: firstId };
  const missing = (message: string): void => findings.shortfall('unsealed batch', place, message, count);
  const end = writer?.lastSeq ?? Infinity;
  if (ageMs < -PATIENCE_MS)
    findings.fault('batch added', place, `This batch of ${count} says that it was written in the future.`);
  if (writer !== undefined && hasClosed(writer) && seq > end)
    findings.fault('batch added', place, `This batch of ${count} came after its writer had ended with batch ${end}.`);
  if (writer?.state === undefined)
    return missing(`Nobody knows the writer of this batch of ${count}: it is never sealed.`);
  // A process that stood still may come back before it learns that it was given up.
  if (writer.state === 'lost' && seq > end)
    return missing(`This batch of ${count} came after its writer was given up as lost: it is never sealed.`);
  if (ageMs > PATIENCE_MS)
    missing(`This batch of ${count} is ${Math.round(ageMs / 1000)} s old and not sealed. Does a sealer run?`);
}

function checkWriter(writer: KnownWriter, sealedSeq: number, findings: Findings): void {
  const { id, state, lastSeq, storedSeq } = writer;
  if (lastSeq !== undefined && lastSeq > storedSeq)
    findings.shortfall(
      'missing batch',
      { writerId: id, seq: storedSeq + 1 },
      `This writer has written ${lastSeq} batches, the last that is there is ${storedSeq}.`,
      lastSeq - storedSeq,
    );
  if (state !== 'open' && hasClosed(writer) && lastSeq !== undefined && sealedSeq > lastSeq)
    findings.fault(
      'batch added',
      { writerId: id, seq: lastSeq + 1 },
      `This writer had ended with batch ${lastSeq}, and the log has its batch ${sealedSeq}.`,
    );
  const silence = silenceOf(writer);
  if (silence !== undefined)
    findings.shortfall(
      state === 'lost' ? 'lost writer' : 'silent writer',
      { writerId: id, seq: storedSeq },
      `This writer ${silence}.`,
    );
}

const hasClosed = ({ state, told }: KnownWriter): boolean => state === 'closed' || told === 'closed';

/** What is strange about the end of a writer. What its row says is believed only where the log says the same. */
function silenceOf({ state, told, silentMs }: KnownWriter): string | undefined {
  if (state === 'open') {
    if (silentMs > PATIENCE_MS) return `did not end, and says nothing for ${Math.round(silentMs / 1000)} s`;
    return silentMs < -PATIENCE_MS ? 'gave its last sign of life in the future' : undefined;
  }
  if (told !== 'opened') return undefined;
  if (state === 'lost') return 'was given up as lost, and no record in the log says so yet';
  return state === 'closed'
    ? 'is said to have ended, and no record in the log says so'
    : 'began, as the log says, and did not end; who else knew of it was taken away';
}
