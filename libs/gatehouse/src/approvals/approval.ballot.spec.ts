import { ApprovalConflictError } from '../contracts/errors/approval-conflict.error.js';
import { ApprovalNotFoundError } from '../contracts/errors/approval-not-found.error.js';
import type { ArgumentValidator } from '../contracts/ports/argument.validator.js';
import { UNSEALED } from '../contracts/ports/approval.sealing.js';
import type { EvidenceStore } from '../contracts/ports/evidence.store.js';
import type { RunReader } from '../contracts/ports/run.reader.js';
import type { EditedArguments, StoredApproval } from '../contracts/ports/stored.approval.js';
import { newId } from '../values/ids.js';
import { Redactor } from '../values/redactor.js';
import { ApprovalBallot } from './approval.ballot.js';

const USER = { id: 'u1', organizationId: 'acme' };
const ID = newId();
const STORED = {
  id: ID,
  toolName: 'refund',
  status: 'pending',
  approvers: {},
  editable: ['text'],
  requestedBy: 'u1',
  organizationId: 'acme',
  received: '{"password":"hunter2","text":"long"}',
  validated: '{"password":"hunter2","text":"long"}',
  args: { password: '[redacted]', text: 'long' },
  argumentsDigest: 'd1',
} as unknown as StoredApproval;

const CUT = { password: '[redacted]', text: 'lo[truncated: 4 characters]' };

function ballotOn(approval: Partial<StoredApproval>, edited?: EditedArguments): ApprovalBallot {
  const reader = { approval: async () => ({ ...STORED, ...approval }) };
  const validator = { validateEdit: async () => ({ ok: true, edited }) };
  const evidence = { appendRefusedDecision: async () => undefined } as unknown as EvidenceStore;
  return new ApprovalBallot(
    reader as unknown as RunReader,
    validator as unknown as ArgumentValidator,
    evidence,
    UNSEALED,
    new Redactor({ valuePatterns: [/\w+@\w+\.\w+/] }),
  );
}

describe('ApprovalBallot', () => {
  it('a vote carries what was said, and only that', async () => {
    const answer = { approved: true, by: USER, argumentsDigest: 'd1', reason: ' ', note: 'go\0on' };
    expect(await ballotOn({}).vote(ID, answer)).toEqual({
      approvalId: ID,
      principalId: 'u1',
      approved: true,
      reason: undefined,
      note: 'go\\u0000on',
      argumentsDigest: 'd1',
      edited: undefined,
    });
  });

  it('what was cut is named without what is redacted of it', async () => {
    const validated = '{"ann@acme.test":"a","bob@acme.test":{"text":"long"},"text":"long"}';
    const args = { '[redacted]': 'a', '[redacted]#2': { text: 'lo[truncated: 4 characters]' } };
    await expect(ballotOn({ validated, args }).vote(ID, { approved: true, by: USER })).rejects.toThrow(
      'its arguments are too large to be shown (/[redacted], /[redacted], /text); deny it',
    );
    const all = { ...args, text: 'long' };
    await expect(ballotOn({ validated, args: all }).vote(ID, { approved: true, by: USER })).rejects.toThrow(
      'its arguments are too large to be shown (/[redacted]#2/text); deny it',
    );
  });

  it('words are kept up to 4000 characters', async () => {
    const { reason } = await ballotOn({}).vote(ID, { approved: false, by: USER, reason: 'x'.repeat(10_000) });
    expect(reason).toHaveLength(4000);
    expect(reason).toMatch(/ \[truncated: 10000 characters\]$/);
  });

  it('what was redacted can be approved, what was cut only denied', async () => {
    await expect(ballotOn({}).vote(ID, { approved: true, by: USER })).resolves.toMatchObject({ approved: true });
    await expect(ballotOn({ args: CUT }).vote(ID, { approved: true, by: USER })).rejects.toEqual(
      new ApprovalConflictError(ID, 'pending', 'its arguments are too large to be shown (/text); deny it'),
    );
    await expect(ballotOn({ args: CUT }).vote(ID, { approved: false, by: USER })).resolves.toMatchObject({
      approved: false,
    });
  });

  it('so it is with edited arguments', async () => {
    const edited = { received: '{"text":"edit"}', validated: '{"text":"edit"}', argumentsDigest: 'd2', hidden: [] };
    const answer = { approved: true, by: USER, editedArgs: { password: '[redacted]', text: 'edit' } };
    const seen = await ballotOn({}, { ...edited, shown: { text: 'edit' } }).vote(ID, answer);
    expect(seen.edited?.argumentsDigest).toBe('d2');
    const unseen = ballotOn({}, { ...edited, shown: { text: '[truncated: 4 characters]' } });
    await expect(unseen.vote(ID, answer)).rejects.toBeInstanceOf(ApprovalConflictError);
  });

  it('to another organization there is no such approval; who has none is left to the access policy', async () => {
    const vote = (organizationId?: string) =>
      ballotOn({}).vote(ID, { approved: true, by: { id: 'u1', ...(organizationId ? { organizationId } : {}) } });
    await expect(vote('other')).rejects.toEqual(new ApprovalNotFoundError(ID));
    await expect(vote()).resolves.toMatchObject({ approved: true });
  });
});
