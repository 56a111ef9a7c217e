import type { TracedCall, TracedEnd } from '../contracts/ports/trace.context.js';
import { canonicalText } from '../values/canonical-json.js';
import type { Redactor } from '../values/redactor.js';
import type { Operation } from './operation.js';
import type { OperationRecords } from './operation.records.js';
import type { Ending, Stop } from './passage.js';
import type { RunScope } from './run.scope.js';

/** What a trace may say of a call. */
export const tracedCall = (operation: Operation, scope: RunScope, records: OperationRecords): TracedCall => ({
  runId: scope.runId,
  operationId: operation.id,
  toolCallId: operation.toolCallId,
  toolName: operation.toolName,
  description: operation.tool?.definition.description,
  arguments: () => records.redactedArguments(operation),
});

/** And of what it came to. */
export const tracedStop = (stop: Stop, redactor: Redactor): TracedEnd =>
  'ending' in stop ? tracedEnd(stop.ending, redactor) : { status: 'waiting' };

export const tracedEnd = ({ status, decidedBy, error, value }: Ending, redactor: Redactor): TracedEnd => ({
  status,
  decidedBy,
  error,
  ...(value === undefined ? {} : { result: () => canonicalText(redactor.redact(value)) }),
});
