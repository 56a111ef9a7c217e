import { call, captureLog, says } from 'nest-gatehouse/testing';

import { asks, eventsIn, get, jsonIn, post, type Who } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';

const AUDITOR: Who = { user: 'eve', org: 'acme', roles: 'run.read,audit.read' };
const SECRET = 'db password=hunter2 broke';

describe('what an error of code below ours said', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk()));
  afterAll(() => desk.close());

  const timelines = async (response: Response): Promise<readonly string[]> => {
    await eventsIn(response);
    const path = `runs/${response.headers.get('gatehouse-run-id')}`;
    const read = async (who?: Who) => JSON.stringify(await jsonIn(get(desk, path, who === undefined ? {} : { who })));
    return Promise.all([read(), read(AUDITOR)]);
  };

  it('by a tool or an executor is on no timeline, but for those who may read the audit', async () => {
    desk.tools.failing = new Error(SECRET);
    desk.play([[call('lookup', { order: 1 })], [says('sorry')]]);
    const [own, audited] = await timelines(await post(desk, 'runs', asks('go')));
    desk.tools.failing = undefined;
    expect([own?.includes(SECRET), own?.includes('"failed"'), audited?.includes(SECRET)]).toEqual([false, true, true]);
  });

  it('of a run that failed is in the log, by the run and its agent, and on no timeline of its owner', async () => {
    const log = captureLog();
    desk.play([
      () => {
        throw new Error(SECRET);
      },
    ]);
    const response = await post(desk, 'runs', asks('go'));
    const [own, audited] = await timelines(response);
    log.release();
    expect([own?.includes(SECRET), audited?.includes(SECRET)]).toEqual([false, true]);
    const runId = response.headers.get('gatehouse-run-id');
    const line = log.lines.find(({ message }) => message.includes(`Run ${runId} `));
    expect(line).toMatchObject({ level: 'error', context: 'gatehouse.runs' });
    expect(line?.message).toContain(`of agent 'desk' failed`);
    expect(line?.message).toContain(SECRET);
  });
});
