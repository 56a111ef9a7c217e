import { Injectable, Module } from '@nestjs/common';
import { AuditTrail, DestructiveTool, RequireApproval, type ApprovalRequest } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { ANN, asks, eventsIn, fresh, get, jsonIn, post, runIdOf, typesOf, type Who } from '../e2e/support/client.js';
import { openDesk, type Desk } from '../e2e/support/desk.app.js';

/** Two people of anybody must agree. */
@Injectable()
class Vault {
  opened = 0;

  @DestructiveTool({ description: 'Opens the vault', parameters: { type: 'object', additionalProperties: false } })
  @RequireApproval({ approvers: { quorum: 2 } })
  open_vault(): string {
    this.opened += 1;
    return 'open';
  }
}

@Module({ providers: [Vault] })
class VaultModule {}

const BOB: Who = { user: 'bob', org: 'acme', roles: 'approval.read,approval.decide,thread.continue' };
const EVE: Who = { user: 'eve', org: 'acme', roles: 'approval.read' };
const MAL: Who = { user: 'mal', org: 'acme' };

describe('approvals over HTTP', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk({}, [VaultModule]);
    desk.play([[call('open_vault', {}, 'v1')], [says('ok')]]);
  });
  afterEach(() => desk.close());

  const suspended = async () => {
    const input = asks('open it');
    await eventsIn(await post(desk, 'runs', input));
    const runId = await runIdOf(desk, input);
    const [approval] = (await jsonIn<{ items: ApprovalRequest[] }>(get(desk, `approvals?runId=${runId}`))).items;
    return { input, runId, id: approval?.id ?? '', argumentsDigest: approval?.argumentsDigest ?? '' };
  };
  const resume = async (input: object, interruptId: string, who: Who) =>
    eventsIn(
      await post(
        desk,
        'runs',
        {
          ...input,
          runId: fresh('segment'),
          messages: [],
          resume: [{ interruptId, status: 'resolved', payload: { approved: true } }],
        },
        { who },
      ),
    );
  const attempts = async (runId: string) =>
    (await desk.get(AuditTrail).approvalEvents({ runId, kind: 'refused' })).items.map(
      ({ principalId, detail }) => `${principalId}: ${detail}`,
    );

  it('an AG-UI answer that is one of two counts: the same interrupt again, no error; the second one goes on', async () => {
    const { input, id } = await suspended();
    const first = await resume(input, id, ANN);
    expect(typesOf(first)).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
    expect(first[1]?.event).toMatchObject({ outcome: { type: 'interrupt', interrupts: [{ id, toolCallId: 'v1' }] } });
    expect(first[1]?.event['runId']).toBe(first[0]?.event['runId']);
    expect(desk.get(Vault).opened).toBe(0);
    const second = await resume(input, id, BOB);
    expect(second.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
    expect(desk.get(Vault).opened).toBe(1);
  });

  it('a decision that the access policy refuses is recorded, whichever door it came through', async () => {
    const { input, runId, id, argumentsDigest } = await suspended();
    const decide = (who: Who) => post(desk, `approvals/${id}/decision`, { approved: true, argumentsDigest }, { who });
    expect((await decide(EVE)).status).toBe(403);
    expect((await decide(MAL)).status).toBe(404);
    expect(await attempts(runId)).toEqual([
      'mal: the access policy does not let them read it',
      'eve: the access policy says no',
    ]);
    const mayContinue = { ...EVE, user: 'ewa', roles: 'approval.read,thread.continue' };
    expect(typesOf(await resume(input, id, mayContinue))).toEqual(['RUN_ERROR']);
    expect((await attempts(runId))[0]).toBe('ewa: the access policy says no');
    expect(desk.get(Vault).opened).toBe(0);
  });

  it('B05 an answer to an approval that we never issued is an error, and nothing runs', async () => {
    const { input, id } = await suspended();
    const forged = await resume(input, '0190a000-0000-7000-8000-000000000000', ANN);
    expect(forged.map(({ event }) => [event.type, event['code']])).toEqual([['RUN_ERROR', 'approval_not_found']]);
    expect(await jsonIn<ApprovalRequest>(get(desk, `approvals/${id}`))).toMatchObject({ status: 'pending', votes: [] });
    expect(desk.get(Vault).opened).toBe(0);
  });

  it('B33 two wait and one is answered: an error, and both still wait', async () => {
    desk.play([[call('open_vault', {}, 'v1'), call('open_vault', {}, 'v2')], [says('ok')]]);
    const { input, id, runId } = await suspended();
    expect(typesOf(await resume(input, id, ANN))).toEqual(['RUN_ERROR']);
    const { items } = await jsonIn<{ items: ApprovalRequest[] }>(get(desk, `approvals?runId=${runId}`));
    expect(items.map(({ status, votes }) => [status, votes.length])).toEqual([
      ['pending', 0],
      ['pending', 0],
    ]);
  });
});
