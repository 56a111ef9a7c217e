import { Injectable } from '@nestjs/common';
import { Clock } from '../contracts/clock.js';
import type { ProposedCall } from '../contracts/operation.js';
import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import type { StoredDeferral } from '../contracts/ports/stored.deferral.js';
import type { StoredOperation } from '../contracts/ports/stored.step.js';
import { FINAL_OUTPUT } from '../contracts/output.js';
import { newId } from '../values/ids.js';
import { BoundArguments } from './bound.arguments.js';
import { Operation, plainArguments } from './operation.js';

/** Makes operations: of proposals, of redirects, of what was stored before a suspension. */
@Injectable()
export class OperationFactory {
  constructor(private readonly clock: Clock) {}

  /** A call without an id of its own goes by the operation's; what a client took for a name without it being one is a tool that does not exist. */
  proposed(
    call: ProposedCall,
    toolCallId: string | undefined,
    step: number,
    position: number,
    kind: Operation['kind'] = 'tool',
  ): Operation {
    const id = newId();
    return this.make(id, toolCallId ?? id, nameOf(call), call.args, step, position, this.clock.now(), kind);
  }

  /** An output that stands in the text of a response, behind its calls. */
  inText(text: string, step: number, position: number): Operation {
    const operation = this.proposed({ toolName: FINAL_OUTPUT, args: text }, newId(), step, position, 'output');
    operation.inText = true;
    return operation;
  }

  /** A redirect is an operation of its own; once its origin had waited for a person, so must it. */
  linked(from: Operation, toolName: string, args: unknown): Operation {
    const operation = this.make(newId(), from.toolCallId, toolName, args, from.step, from.position, this.clock.now());
    operation.redirectedFrom = from.id;
    operation.redirects = from.redirects + 1;
    operation.mustBeApproved = from.mustBeApproved;
    operation.voided = from.mustBeApproved ? from.voided + 1 : 0;
    return operation;
  }

  /** A waiting operation comes back with its own arguments and, where there is one, the approval that covers them or the result it was handed on for. */
  restored(
    stored: StoredOperation,
    step: number,
    approval: StoredApproval | undefined,
    deferral?: StoredDeferral,
  ): Operation {
    const at = new Date(stored.startedAt);
    const { operationId, toolCallId, toolName, received, position } = stored;
    const { kind, inText = false } = stored;
    const operation = this.make(operationId, toolCallId, toolName, received, step, position, at, kind);
    operation.inText = inText;
    operation.mustBeApproved = true;
    operation.deferral = deferral;
    operation.voided = stored.voided;
    operation.redirects = stored.redirects ?? 0;
    // Whoever claimed it was about to start it: whether it did is not known, and that it did not is.
    // What was handed on was withdrawn from its claim, and says itself whether it had run.
    const ran = deferral === undefined ? approval?.claimToken !== undefined : deferral.executed === true;
    operation.ranBefore = stored.executed === true || approval?.executed === true || ran;
    operation.outcomeStored = approval?.status === 'done' ? approval.result : undefined;
    operation.redirectedFrom = stored.redirectedFromOperationId;
    operation.approvalId = approval?.id ?? stored.approvalId;
    if (deferral !== undefined) operation.arguments = handedOn(stored, deferral);
    if (approval?.status !== 'approved') return operation;
    operation.approval = approval;
    const text = approval.validated;
    const digest = approval.argumentsDigest;
    operation.arguments = new BoundArguments(approval.received, plainArguments(text), text, () => digest);
    return operation;
  }

  private make(
    id: string,
    toolCallId: string,
    tool: string,
    args: unknown,
    step: number,
    position: number,
    at: Date,
    kind?: Operation['kind'],
  ): Operation {
    return new Operation(id, toolCallId, tool, args, step, position, at, this.clock.monotonic(), kind);
  }
}

/** The arguments of a call that was handed on, for its record; nothing where its process was lost before they were stored. */
const handedOn = ({ received, validated }: StoredOperation, { argumentsDigest }: StoredDeferral) =>
  validated === undefined
    ? undefined
    : new BoundArguments(received, plainArguments(validated), validated, () => argumentsDigest);

const nameOf = ({ toolName }: ProposedCall): string => {
  const name: unknown = toolName;
  return typeof name === 'string' ? name : `(${name === null ? 'null' : typeof name})`;
};
