import { Injectable } from '@nestjs/common';
import { ApprovalRequired } from '../contracts/errors/approval-required.js';
import { ApprovalSpentError } from '../contracts/errors/approval-spent.error.js';
import { ApprovalUnverifiedError } from '../contracts/errors/approval-unverified.error.js';
import { ApprovalVoidError } from '../contracts/errors/approval-void.error.js';
import { CallDeferred } from '../contracts/errors/call-deferred.js';
import { ControlError } from '../contracts/errors/control.error.js';
import type { JsonObject } from '../contracts/json.js';
import { validatedText } from '../tools/validated.text.js';
import { argumentsDigest } from '../values/digest.js';
import { bind } from './bound.arguments.js';
import { CoreVerdict } from './core.verdict.js';
import type { CoreView } from './core.view.js';
import { GateStage } from './gate.stage.js';
import { InspectionStage } from './inspection.stage.js';
import { MethodRunner, type Start } from './method.runner.js';
import type { Operation } from './operation.js';
import type { RunScope } from './run.scope.js';
import { opened } from './validation.stage.js';

/**
 * Around the method, inside everything else: compares what arrived with what was inspected, checks cancel and lease, claims the approval, starts the
 * method. Nothing can be declared inside it.
 */
@Injectable()
export class Core {
  constructor(
    private readonly inspection: InspectionStage,
    private readonly gate: GateStage,
    private readonly method: MethodRunner,
  ) {}

  async start(operation: Operation, scope: RunScope, view: CoreView, arrived: unknown): Promise<unknown> {
    if (view.over === true) throw new Error(overText(operation));
    try {
      const start =
        this.atOnce(operation, scope, view, arrived) ??
        (await this.inTurn(view, scope, () => this.admitted(operation, scope, view, arrived)));
      return await this.method.run(operation, scope, start, view);
    } catch (error) {
      note(error, view, scope);
      throw error;
    }
  }

  /** What arrives as it was inspected, and needs no approval, has nothing to wait for. */
  private atOnce(operation: Operation, scope: RunScope, view: CoreView, arrived: unknown): Start | undefined {
    if (view.turn !== undefined || view.kept !== undefined || operation.approval !== undefined) return undefined;
    if (operation.arguments?.are(arrived) !== true) return undefined;
    scope.fence.check();
    operation.starts += 1;
    return { args: arrived, attempt: operation.starts };
  }

  /** Starts of one operation are looked at one by one: none may pass on what another is still being asked about. */
  private inTurn(view: CoreView, scope: RunScope, look: () => Promise<Start>): Promise<Start> {
    const looked = async () => {
      await view.turn;
      return look();
    };
    // Noted before the next one looks.
    const turn = looked().catch((error: unknown) => {
      note(error, view, scope);
      throw error;
    });
    view.turn = turn.catch(() => undefined);
    return turn;
  }

  private async admitted(operation: Operation, scope: RunScope, view: CoreView, arrived: unknown): Promise<Start> {
    // What was said of this operation stands, whoever tries again. The very object goes on.
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    if (view.kept !== undefined) throw view.kept;
    const approved = operation.approval !== undefined;
    const args = approved
      ? await this.approved(operation, scope, arrived)
      : await this.inspected(operation, scope, arrived);
    scope.fence.check();
    if (approved) await this.claim(operation, scope, view);
    operation.starts += 1;
    return { args, attempt: operation.starts };
  }

  /** Exactly the approved bytes, once, and a value made from them that nobody else has held. */
  private async approved(operation: Operation, scope: RunScope, arrived: unknown): Promise<unknown> {
    const { id, toolName, invocation, arguments: bound } = operation;
    if (operation.claiming) throw new ApprovalSpentError(id, toolName);
    if (bound === undefined || invocation === undefined) throw new ApprovalVoidError(id, 'it has no arguments');
    if (!bound.are(arrived)) throw CoreVerdict.changed(arrived);
    // First: of arguments that somebody wrote into the row a schema says nothing that is true.
    if (!this.isApproved(operation, scope)) throw new ApprovalUnverifiedError(id, changedText(operation.approvalId));
    try {
      return await invocation.rebuild(JSON.parse(bound.receivedText) as JsonObject, bound.text);
    } catch (error) {
      throw new ApprovalVoidError(id, `the schema of '${toolName}' is not repeatable`, { cause: error });
    }
  }

  /** Not gated: arguments that changed on the way are inspected once more, and the gate is asked again. */
  private async inspected(operation: Operation, scope: RunScope, arrived: unknown): Promise<unknown> {
    if (operation.arguments?.are(arrived) === true) return arrived;
    const { tool, call } = opened(operation);
    operation.inspected ??= operation.arguments;
    operation.arguments = bind(tool, scope.digestKey, validatedText(arrived), arrived);
    call.args = arrived;
    const stop = (await this.inspection.inspect(operation, scope)) ?? (await this.gate.pass(operation, scope));
    if (stop !== undefined) throw CoreVerdict.stopped(stop);
    return arrived;
  }

  private async claim(operation: Operation, scope: RunScope, view: CoreView): Promise<void> {
    const { id, toolName, approval, arguments: bound } = operation;
    if (approval === undefined || bound === undefined) throw new ApprovalVoidError(id, 'there is none');
    // Asked and answered without an await between: to the store, a second claim of one operation is the first one again.
    if (operation.claiming) throw new ApprovalSpentError(id, toolName);
    operation.claiming = true;
    const verdict = await scope.approvals.claim(approval.id, bound.digest, id);
    if (verdict === 'forged') throw new ApprovalUnverifiedError(id, unsignedText(approval.id));
    if (verdict === 'refused') {
      throw new ApprovalVoidError(id, 'it was withdrawn, has run out, or was not given for these arguments');
    }
    view.claimed = true;
  }

  /** The bytes that will run are those that were approved: the digest was compared with a stored one, and what is stored can be changed. */
  private isApproved(operation: Operation, { digestKey }: RunScope): boolean {
    const { name, fingerprint } = opened(operation).tool.definition;
    const { receivedText = '', text = '' } = operation.arguments ?? {};
    return argumentsDigest(digestKey, name, fingerprint, receivedText, text) === operation.approval?.argumentsDigest;
  }
}

const note = (error: unknown, view: CoreView, scope: RunScope): void => {
  view.thrown = error;
  if (isKept(error, scope)) view.kept ??= error;
};

const overText = ({ id, toolName }: Operation): string =>
  `Tool '${toolName}' was not started for operation ${id}: what stands around it had answered already. Await next() before answering.`;

const changedText = (approvalId = ''): string =>
  `the arguments stored with approval ${approvalId} are not those of its digest: its row was changed after it was asked`;

/** Whose doing it was the row does not say: it may be older than the secret, or than the one that is known. */
const unsignedText = (approvalId: string): string =>
  `approval ${approvalId} carries no signature of a known secret: its row was changed, or it was approved under another secret or none`;

/** Ordinary errors may be recovered by whatever stands around the core; these may not. */
const isKept = (error: unknown, scope: RunScope): boolean =>
  error instanceof CoreVerdict ||
  error instanceof ApprovalRequired ||
  error instanceof ApprovalVoidError ||
  error instanceof CallDeferred ||
  (error instanceof ControlError && (error.runId ?? scope.runId) === scope.runId) ||
  (scope.signal.aborted && error === scope.signal.reason);
