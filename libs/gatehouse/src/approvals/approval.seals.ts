import { createHmac, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import {
  UNSEALED,
  type ApprovalSealing,
  type DecisionFacts,
  type RequestFacts,
  type VoteFacts,
} from '../contracts/ports/approval.sealing.js';
import type { JsonValue } from '../contracts/json.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';

/** Signatures with `approvals.secret`: the first secret signs, every one is known again. Without a secret nothing is signed or checked. */
@Injectable()
export class ApprovalSeals {
  readonly sealing: ApprovalSealing;

  constructor(@Inject(ResolvedOptions) { approvals }: Pick<ResolvedOptions, 'approvals'>) {
    const [first, ...older] = approvals.secrets;
    this.sealing = first === undefined ? UNSEALED : sealingWith(first, [first, ...older]);
  }
}

function sealingWith(signing: string, known: readonly string[]): ApprovalSealing {
  const seal = (facts: JsonValue): string => hmac(signing, facts).toString('hex');
  const knows = (facts: JsonValue, given: string | null): boolean => {
    if (given === null) return false;
    const claimed = Buffer.from(given, 'hex');
    return known.some((secret) => {
      const own = hmac(secret, facts);
      return own.length === claimed.length && timingSafeEqual(own, claimed);
    });
  };
  return Object.freeze({
    request: (facts: RequestFacts) => seal(ofRequest(facts)),
    vote: (facts: VoteFacts) => seal(ofVote(facts)),
    decision: (facts: DecisionFacts) => seal(ofDecision(facts)),
    isRequest: (facts: RequestFacts, given: string | null) => knows(ofRequest(facts), given),
    isVote: (facts: VoteFacts, given: string | null) => knows(ofVote(facts), given),
    isDecision: (facts: DecisionFacts, given: string | null) => knows(ofDecision(facts), given),
  });
}

// A JSON array keeps its members apart whatever stands in them; its first one keeps the three kinds apart.
const hmac = (secret: string, facts: JsonValue): Buffer =>
  createHmac('sha256', secret).update(JSON.stringify(facts), 'utf8').digest();

const ofRequest = (facts: RequestFacts): JsonValue => [
  'gatehouse:approval-request:1',
  facts.id,
  facts.runId,
  facts.operationId,
  facts.toolName,
  facts.toolFingerprint,
  facts.argumentsDigest,
  facts.args,
  [...(facts.approvers.roles ?? [])],
  facts.approvers.roles !== undefined,
  facts.approvers.notRequester ?? false,
  facts.approvers.quorum ?? 1,
  [...facts.editable],
  facts.requestedBy ?? null,
  facts.organizationId ?? null,
];

const ofVote = ({ approvalId, principalId, argumentsDigest }: VoteFacts): JsonValue => [
  'gatehouse:approval-vote:1',
  approvalId,
  principalId,
  argumentsDigest,
];

const ofDecision = (facts: DecisionFacts): JsonValue => [
  'gatehouse:approval-decision:1',
  facts.approvalId,
  facts.runId,
  facts.operationId,
  facts.toolName,
  facts.argumentsDigest,
  [...facts.decidedBy].sort(),
  facts.decidedAt.toISOString(),
  facts.executeBefore.toISOString(),
];
