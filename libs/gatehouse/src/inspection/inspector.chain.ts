import type { Abortion, Acceptance, CommitDecision, OperationDecision } from '../contracts/decisions/decisions.js';
import { Decide } from '../contracts/decisions/decide.js';
import { isDecisionFor } from '../contracts/decisions/decision.brand.js';
import type { OperationRequest } from '../contracts/operation.js';
import type { OperationInspector, RunCommit } from '../contracts/roles.js';
import { askInspector } from './inspector.question.js';

/** An inspector and the class name it is known by. */
export interface NamedInspector {
  readonly name: string;
  readonly role: OperationInspector;
}

/** What the chain decided about an operation, and who: empty when all accepted. */
export interface OperationVerdict {
  readonly decision: OperationDecision;
  readonly inspector: string;
}

/** What is left of a result after commit inspection. */
export interface CommitVerdict {
  readonly output: unknown;
  /** An inspector put another value in the result's place: it needs validation. */
  readonly rewritten: boolean;
  readonly aborted?: Abortion & { readonly inspector: string };
}

const ACCEPTED: OperationVerdict = Object.freeze({ decision: Decide.accept(), inspector: '' });

/** The inspectors of one run, in order. Fails closed: whatever is no decision is an `InspectionFailedError`. */
export class InspectorChain {
  /** How many inspect operations. */
  readonly size: number;
  private readonly ofOperations: readonly NamedInspector[];
  private readonly ofCommits: readonly NamedInspector[];

  /** @param timeoutMs for each inspector and question */
  constructor(
    inspectors: readonly NamedInspector[],
    private readonly timeoutMs: number,
  ) {
    this.ofOperations = inspectors.filter(({ role }) => typeof role.inspectOperation === 'function');
    this.ofCommits = inspectors.filter(({ role }) => typeof role.inspectCommit === 'function');
    this.size = this.ofOperations.length;
  }

  /**
   * The first rejection or abort ends the chain.
   *
   * @throws InspectionFailedError when an inspector throws, times out or returns no decision; `cause` is what it threw
   */
  async inspectOperation(request: OperationRequest): Promise<OperationVerdict> {
    for (const { name, role } of this.ofOperations) {
      const question = { inspector: name, method: 'inspectOperation', timeoutMs: this.timeoutMs };
      const decision = await askInspector(question, () => role.inspectOperation?.(request), isOperationDecision);
      if (decision.kind !== 'accept') return Object.freeze({ decision, inspector: name });
    }
    return ACCEPTED;
  }

  /**
   * Each inspector sees the value as the one before left it; an abort ends the chain.
   *
   * @throws InspectionFailedError as `inspectOperation`, and for a rewrite of what the run raises
   */
  async inspectCommit(commit: RunCommit): Promise<CommitVerdict> {
    let current = commit;
    for (const { name, role } of this.ofCommits) {
      const question = { inspector: name, method: 'inspectCommit', timeoutMs: this.timeoutMs };
      const fits = commit.outcome === 'raise' ? isRaiseDecision : isCommitDecision;
      const decision = await askInspector(question, () => role.inspectCommit?.(current), fits);
      if (decision.kind === 'abort') {
        const aborted = Object.freeze({ ...decision, inspector: name });
        return Object.freeze({ output: current.output, rewritten: current !== commit, aborted });
      }
      if (decision.kind === 'rewrite') current = Object.freeze({ ...commit, output: decision.value });
    }
    return Object.freeze({ output: current.output, rewritten: current !== commit });
  }
}

const isOperationDecision = (value: unknown): value is OperationDecision => isDecisionFor(value, 'inspector');
const isCommitDecision = (value: unknown): value is CommitDecision => isDecisionFor(value, 'commit');

// There is no result that a rewrite could replace when the run raises.
const isRaiseDecision = (value: unknown): value is Acceptance | Abortion =>
  isCommitDecision(value) && value.kind !== 'rewrite';
