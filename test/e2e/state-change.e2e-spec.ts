import { says } from 'nest-gatehouse/testing';

import { ANN, asks, eventsIn, get, post, problemIn } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';
import { decide, suspend } from './support/waiting.js';

describe('[366] what a state change must look like', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk()));
  afterAll(() => desk.close());
  beforeEach(() => desk.tools.done.splice(0));

  it.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 'approved=true', '415 unsupported_media_type'],
    ['plain text', { 'content-type': 'text/plain' }, '{"approved":true}', '415 unsupported_media_type'],
    ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }, '{"approved":true}', '403 cross_site'],
  ])('%s is refused on every route', async (_what, headers, body, expected) => {
    const waiting = await suspend(desk, 'refund');
    for (const path of [
      'runs',
      'agents/desk/runs',
      `runs/${waiting.runId}/cancel`,
      `approvals/${waiting.approvalId}/decision`,
    ]) {
      expect(await problemIn(await post(desk, path, body, { headers }))).toBe(expected);
    }
    expect(await (await get(desk, `approvals/${waiting.approvalId}`)).json()).toMatchObject({ status: 'pending' });
  });

  it.each([
    [{ approved: 'false' }, '400 invalid_request'],
    [{ approved: 1 }, '400 invalid_request'],
    [{}, '400 invalid_request'],
    [{ approved: true, argumentsDigest: undefined }, '400 invalid_request'],
    [{ approved: true, argumentsDigest: '' }, '400 invalid_request'],
    [{ approved: true, argumentsDigest: 'another' }, '409 approval_conflict'],
    [{ approved: true, reason: 7 }, '400 invalid_request'],
    [{ approved: true, editedArgs: [] }, '400 invalid_request'],
    [{ approved: true, editedArgs: { order: 8 } }, '422 approval_invalid'],
  ])('the decision %j is %s, and nothing is decided', async (body, expected) => {
    const waiting = await suspend(desk, 'refund');
    expect(await problemIn(await decide(desk, waiting, body, ANN))).toBe(expected);
    expect(await (await get(desk, `approvals/${waiting.approvalId}`)).json()).toMatchObject({ status: 'pending' });
  });

  it('the same word twice is one; another is a conflict', async () => {
    const waiting = await suspend(desk, 'refund');
    expect((await decide(desk, waiting, { approved: false, reason: 'no' }, ANN)).status).toBe(200);
    expect((await decide(desk, waiting, { approved: false, reason: 'no' }, ANN)).status).toBe(200);
    expect(await problemIn(await decide(desk, waiting, { approved: true }, ANN))).toBe('409 approval_conflict');
  });

  it('a body that is no JSON is 400, one that is too large 413', async () => {
    expect(await problemIn(await post(desk, 'runs', '{"a":'))).toBe('400 bad_request');
    expect(await problemIn(await post(desk, 'runs', '[]'))).toBe('400 invalid_request');
    const large = JSON.stringify(asks('x'.repeat(4 * 1024 * 1024)));
    expect(await problemIn(await post(desk, 'runs', large))).toBe('413 payload_too_large');
  });

  it('a runId of the client names one segment only, and 409 says so', async () => {
    desk.play([[says('one')], [says('two')]]);
    const input = asks('x');
    await eventsIn(await post(desk, 'runs', input));
    expect(await problemIn(await post(desk, 'runs', { ...asks('y'), runId: input['runId'] }))).toBe('409 run_conflict');
  });
});
