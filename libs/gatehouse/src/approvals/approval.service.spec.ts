import type { ApprovalPolicy } from '../contracts/approval.policy.js';
import type { ApprovalAnswer } from '../contracts/approval.js';
import { ApprovalConflictError } from '../contracts/errors/approval-conflict.error.js';
import { ApprovalEditError } from '../contracts/errors/approval-edit.error.js';
import { ApprovalForbiddenError } from '../contracts/errors/approval-forbidden.error.js';
import { ApprovalNotFoundError } from '../contracts/errors/approval-not-found.error.js';
import type { JsonObject } from '../contracts/json.js';
import { ArgumentValidator, type EditedCall } from '../contracts/ports/argument.validator.js';
import { RunDispatcher } from '../contracts/ports/run.dispatcher.js';
import type { NewApproval } from '../contracts/ports/stored.approval.js';
import type { StoredStep } from '../contracts/ports/stored.step.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import type { ToolDefinition } from '../contracts/tool.definition.js';
import { MemoryEvidenceStore } from '../persistence/memory/memory.evidence.store.js';
import { MemoryRunReader } from '../persistence/memory/memory.run.reader.js';
import { MemoryRunStore } from '../persistence/memory/memory.run.store.js';
import { MemoryState } from '../persistence/memory/memory.state.js';
import { NO_COUNTERS } from '../persistence/no.counters.js';
import { captureLog } from '../testing/captured.log.js';
import { canonicalText } from '../values/canonical-json.js';
import { sha256Hex } from '../values/digest.js';
import { newId } from '../values/ids.js';
import { Redactor } from '../values/redactor.js';
import { SystemClock } from '../values/system.clock.js';
import { draftApproval, shownArguments } from './approval.draft.js';
import { ApprovalSeals } from './approval.seals.js';
import { ApprovalService } from './approval.service.js';

const USER = { id: 'u1' };
const REDACTOR = new Redactor();
const OWNERSHIP = { owner: 'here', leaseMs: 60_000 };

class Dispatcher extends RunDispatcher {
  readonly dispatched: string[] = [];
  failure: Error | undefined;
  override async dispatch(runId: string): Promise<void> {
    this.dispatched.push(runId);
    if (this.failure) throw this.failure;
  }
}

/** Refuses negative amounts; its digest is of the text alone. */
class Validator extends ArgumentValidator {
  override async validateEdit(_call: EditedCall, edited: JsonObject) {
    if (Number(edited['amount']) < 0) return { ok: false as const, problems: ['amount must not be negative'] };
    const text = canonicalText(edited);
    return {
      ok: true as const,
      edited: { received: text, validated: text, argumentsDigest: sha256Hex(text), ...shownArguments(text, REDACTOR) },
    };
  }
}

/** One suspended run that waits for as many calls as there are policies. */
async function waiting(
  policies: readonly ApprovalPolicy[],
  args: JsonObject = { amount: 5, order: 7 },
  autoResume = true,
) {
  const clock = new SystemClock();
  const state = new MemoryState();
  const store = new MemoryRunStore(state, clock);
  const runId = newId();
  const threadId = newId();
  const fence = { runId, epoch: 1 };
  const limits = {} as ResolvedOptions['limits'];
  await store.startRun(
    { id: runId, threadId, agent: 'a', local: false, segment: runId, user: USER, limits, digestKey: 'k', state: {} },
    [],
    [],
    OWNERSHIP,
  );
  const drafts = policies.map((policy) => draft(runId, threadId, policy, args));
  for (const one of drafts) await store.requestApproval(fence, one);
  const step: StoredStep = { runId, step: 1, text: '', messageId: newId(), operations: [] };
  await store.startStep(fence, step, NO_COUNTERS, []);
  await store.suspend(fence, { step, messages: [], operations: [], state: {}, counters: NO_COUNTERS }, []);
  const dispatcher = new Dispatcher();
  const secrets: readonly string[] = [];
  const options = { approvals: { autoResume, secrets } } as ResolvedOptions;
  const evidence = new MemoryEvidenceStore(state, clock);
  const seals = new ApprovalSeals(options);
  const reader = new MemoryRunReader(state);
  const service = new ApprovalService(store, reader, new Validator(), dispatcher, options, evidence, seals, REDACTOR);
  return {
    service,
    store,
    state,
    evidence,
    dispatcher,
    runId,
    fence,
    ids: drafts.map(({ id }) => id),
    id: drafts[0]?.id ?? '',
  };
}

function draft(runId: string, threadId: string, approval: ApprovalPolicy, args: JsonObject): NewApproval {
  const text = canonicalText(args);
  return draftApproval(
    {
      call: { runId, threadId, operationId: newId(), toolCallId: 'c1', user: USER, organizationId: undefined },
      tool: { name: 'refund', fingerprint: 'f', approval } as ToolDefinition,
      received: text,
      validated: text,
      argumentsDigest: sha256Hex(text),
      args,
    },
    { approvals: { expiresIn: 900_000, executeWithin: 900_000 }, redactor: REDACTOR },
  );
}

const YES: ApprovalAnswer = { approved: true, by: USER };
const NO: ApprovalAnswer = { approved: false, by: USER };

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );

describe('ApprovalService', () => {
  const log = captureLog();
  beforeEach(() => void (log.lines.length = 0));
  afterAll(() => log.release());

  it('lists and shows what waits, without exact arguments', async () => {
    const { service, id, runId } = await waiting([{}], { amount: 5, password: 'hunter2' });
    const shown = await service.get(id);
    expect(shown).toMatchObject({
      id,
      runId,
      status: 'pending',
      args: { amount: 5, password: '[redacted]' },
      hidden: ['/password'],
    });
    expect(JSON.stringify(shown)).not.toContain('hunter2');
    expect(await service.list({ status: 'pending' })).toEqual({ items: [shown], nextCursor: null });
  });

  it('a yes decides, and resumes the run that waited for it', async () => {
    const { service, dispatcher, id, runId } = await waiting([{}]);
    const decided = await service.decide(id, { ...YES, note: 'go on' });
    expect(decided).toMatchObject({ status: 'approved', decidedBy: ['u1'], note: 'go on' });
    expect(dispatcher.dispatched).toEqual([runId]);
  });

  it('the last of several decisions resumes, the first does not', async () => {
    const { service, dispatcher, ids, runId } = await waiting([{}, {}]);
    await service.decide(ids[0] ?? '', NO);
    expect(dispatcher.dispatched).toEqual([]);
    await service.decide(ids[1] ?? '', YES);
    expect(dispatcher.dispatched).toEqual([runId]);
  });

  it('without autoResume nothing is dispatched', async () => {
    const { service, dispatcher, id } = await waiting([{}], undefined, false);
    await service.decide(id, YES);
    expect(dispatcher.dispatched).toEqual([]);
  });

  it('a dispatcher that fails is logged, and the decision stands', async () => {
    const { service, dispatcher, id, runId } = await waiting([{}]);
    dispatcher.failure = new Error('queue is down');
    expect((await service.decide(id, YES)).status).toBe('approved');
    expect(log.lines).toEqual([
      {
        level: 'error',
        context: 'gatehouse.approvals',
        message: `Run ${runId} was decided but not resumed: Error: queue is down. It is tried again.`,
      },
    ]);
  });

  it('the same again is the same answer, another is a conflict', async () => {
    const { service, id } = await waiting([{}]);
    const first = await service.decide(id, { ...NO, reason: 'too much' });
    expect(await service.decide(id, NO)).toEqual(first);
    expect(await thrownBy(service.decide(id, YES))).toEqual(new ApprovalConflictError(id, 'denied'));
  });

  it('an unknown id, of whatever shape, is not found', async () => {
    const { service } = await waiting([]);
    for (const id of [newId(), 'nonsense', '']) {
      expect(await thrownBy(service.decide(id, YES))).toBeInstanceOf(ApprovalNotFoundError);
      expect(await thrownBy(service.get(id))).toBeInstanceOf(ApprovalNotFoundError);
    }
  });

  it('another digest than the one shown is a conflict, and decides nothing', async () => {
    const { service, id } = await waiting([{}]);
    expect(await thrownBy(service.decide(id, { ...YES, argumentsDigest: 'other' }))).toMatchObject({
      status: 'pending',
    });
    expect((await service.get(id)).status).toBe('pending');
  });

  it('who may not decide is refused and logged', async () => {
    const { service, id } = await waiting([{ approvers: { roles: ['finance'] } }]);
    const error = await thrownBy(service.decide(id, YES));
    expect(error).toEqual(new ApprovalForbiddenError(id, 'you have none of the roles that decide'));
    expect(log.lines.map(({ message }) => message)).toEqual([
      `Approval ${id} of tool 'refund' was not decided by 'u1': you have none of the roles that decide.`,
    ]);
  });

  it('nobody decides anonymously, and no answer but true or false counts', async () => {
    const { service, id } = await waiting([{}]);
    expect(await thrownBy(service.decide(id, { approved: true } as ApprovalAnswer))).toBeInstanceOf(
      ApprovalForbiddenError,
    );
    expect(await thrownBy(service.decide(id, { ...YES, approved: 'false' as never }))).toBeInstanceOf(TypeError);
    expect((await service.get(id)).status).toBe('pending');
  });

  it('an expired approval runs nothing', async () => {
    const { service, id, dispatcher } = await waiting([{ expiresIn: 0 }]);
    expect(await thrownBy(service.decide(id, YES))).toEqual(new ApprovalConflictError(id, 'expired'));
    expect(dispatcher.dispatched).toEqual([]);
  });
});

describe('ApprovalService, edits', () => {
  it('edited arguments are validated and bound, and the same edit again is the same answer', async () => {
    const { service, id } = await waiting([{ editable: ['amount'] }]);
    const answer = {
      ...YES,
      argumentsDigest: (await service.get(id)).argumentsDigest,
      editedArgs: { amount: 3, order: 7 },
    };
    const decided = await service.decide(id, answer);
    expect(decided).toMatchObject({
      status: 'approved',
      args: { amount: 5, order: 7 },
      editedArgs: { amount: 3, order: 7 },
      argumentsDigest: sha256Hex('{"amount":3,"order":7}'),
    });
    expect(await service.decide(id, answer)).toEqual(decided);
    expect(await thrownBy(service.decide(id, { ...answer, editedArgs: { amount: 4, order: 7 } }))).toBeInstanceOf(
      ApprovalConflictError,
    );
  });

  it('an edit that changes nothing is a plain yes', async () => {
    const { service, id } = await waiting([{ editable: ['amount'] }]);
    expect((await service.decide(id, { ...YES, editedArgs: { amount: 5, order: 7 } })).editedArgs).toBeUndefined();
  });

  it.each([
    ['of a field that is not listed', { amount: 5, order: 8 }, "'order' may not be edited"],
    ['that the tool refuses', { amount: -1, order: 7 }, 'amount must not be negative'],
  ])('[238] an edit %s decides nothing', async (_, editedArgs, problem) => {
    const { service, id } = await waiting([{ editable: ['amount'] }]);
    expect(await thrownBy(service.decide(id, { ...YES, editedArgs }))).toEqual(new ApprovalEditError(id, [problem]));
    expect((await service.get(id)).status).toBe('pending');
  });

  it('a denial needs no valid edit', async () => {
    const { service, id } = await waiting([{}]);
    expect((await service.decide(id, { ...NO, editedArgs: { amount: -1 } })).status).toBe('denied');
  });
});

describe('ApprovalService, several at once', () => {
  it('[241] all answers count, and the caller resumes the run', async () => {
    const { service, dispatcher, ids, runId } = await waiting([{}, {}]);
    const [a = '', b = ''] = ids;
    const decisions = [
      { approvalId: a, approved: true },
      { approvalId: b, approved: false, reason: 'R' },
    ];
    const { approvals, ready } = await service.decideAll(decisions, USER);
    expect(approvals.map(({ status }) => status)).toEqual(['approved', 'denied']);
    expect(ready).toEqual([runId]);
    expect(dispatcher.dispatched).toEqual([]);
  });

  it('one that cannot count leaves all undecided', async () => {
    const { service, ids } = await waiting([{}, {}]);
    const [a = '', b = ''] = ids;
    const bad = { approvalId: b, approved: true, argumentsDigest: 'other' };
    expect(await thrownBy(service.decideAll([{ approvalId: a, approved: true }, bad], USER))).toBeInstanceOf(
      ApprovalConflictError,
    );
    const unknown = { approvalId: newId(), approved: true };
    expect(await thrownBy(service.decideAll([{ approvalId: a, approved: true }, unknown], USER))).toBeInstanceOf(
      ApprovalNotFoundError,
    );
    expect((await service.list({ status: 'pending' })).items).toHaveLength(2);
  });

  it('nothing to decide is nothing done', async () => {
    const { service } = await waiting([{}]);
    expect(await service.decideAll([], USER)).toEqual({ approvals: [], ready: [] });
  });
});
