import { ledgerName } from './ledger.name.js';

interface Placed {
  readonly traceId?: string | null;
  readonly spanId?: string | null;
}

/** Where in a trace a record belongs, on its way into the evidence and back; without a trace it says nothing of one. */
export const tracePlace = ({
  traceId,
  spanId,
}: Placed): { readonly traceId: string; readonly spanId: string } | undefined =>
  traceId && spanId ? { traceId: ledgerName(traceId), spanId: ledgerName(spanId) } : undefined;
