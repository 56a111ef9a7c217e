import { Injectable } from '@nestjs/common';
import type { CallDeferred } from '../contracts/errors/call-deferred.js';
import type { JsonObject, JsonValue } from '../contracts/json.js';
import type { NewDeferral } from '../contracts/ports/stored.deferral.js';
import type { StoredResult } from '../contracts/ports/stored.step.js';
import { deferredText } from '../failure/model.texts.js';
import { Redactor } from '../values/redactor.js';
import type { Operation } from './operation.js';
import { asError, end, type Stop } from './passage.js';
import type { RunScope } from './run.scope.js';

/** A call that was handed on: stored before anyone is told, then its operation waits. Where nothing can wait it ends `deferred`, without a result. */
@Injectable()
export class DeferralStage {
  constructor(private readonly redactor: Redactor) {}

  async handedOn(operation: Operation, scope: RunScope, signal: CallDeferred): Promise<Stop> {
    const { deferrals } = scope;
    if (deferrals === undefined || scope.nobodyToAsk === true)
      return end({ ...HANDED_ON, content: deferredText(), error: signal });
    try {
      operation.deferral = await deferrals.defer(this.draft(operation, scope, signal), withdrawn());
      return { deferred: operation.deferral };
    } catch (thrown) {
      const error = asError(thrown);
      const content = deferredText();
      return end({ ...HANDED_ON, content, error: signal, ends: { error, stage: 'delivery' } });
    }
  }

  private draft(operation: Operation, { runId }: RunScope, { metadata }: CallDeferred): NewDeferral {
    const { id: operationId, toolCallId, toolName } = operation;
    const { plain = {}, digest: argumentsDigest = '' } = operation.arguments ?? {};
    const args = this.redactor.redact(plain);
    const said = asObject(this.redactor.redact(metadata));
    const draft = { operationId, runId, toolCallId, toolName, args, argumentsDigest, metadata: said };
    return operation.executed ? { ...draft, executed: true } : draft;
  }
}

const HANDED_ON = { status: 'deferred', outcome: 'skipped', decidedBy: 'middleware' } as const;

/** What an approval says that was claimed for it: its start was withdrawn. */
const withdrawn = (): StoredResult => ({ status: 'deferred', outcome: 'skipped', content: deferredText() });

const asObject = (value: JsonValue): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
