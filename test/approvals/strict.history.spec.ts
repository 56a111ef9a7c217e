import { Clock, Middleware, type ThreadMessage, type ToolCall, type ToolMiddleware } from 'nest-gatehouse';
import { says, type ScriptedExecutor } from 'nest-gatehouse/testing';

import { HandClock } from '../conformance/support/hand.clock.js';
import { inside } from '../conformance/support/inside.js';
import { sqlOn } from '../conformance/support/sql.js';
import { ANN, boot, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOnUrl, migratedTemplate, STORES, type Store } from '../support/governed/stores.js';
import { freshDatabase } from '../support/postgres.js';
import { asked, erase, PLAIN, PlainTools, send } from './support/plain.tools.js';
import { providerProblems, strictly } from './strict.provider.js';

const LEASE = 60_000;

/** Changes an approved call on its way to the method, as often as it is told. */
@Middleware()
class Meddler implements ToolMiddleware {
  times = 0;

  aroundTool(tool: ToolCall, next: (changed?: { readonly args: unknown }) => Promise<unknown>): Promise<unknown> {
    if (tool.toolName !== 'erase' || this.times === 0) return next();
    this.times -= 1;
    return next({ args: { n: Number((tool.args as { n: number }).n) + 100 } });
  }
}

/** An application on this store, and how time goes by there: deadlines of approvals pass, leases run out. */
interface Place {
  readonly app: GovernedApp;
  expire(): Promise<void>;
  loseLease(): Promise<void>;
  close(): Promise<void>;
}

async function placeOn(store: Store): Promise<Place> {
  const providers = [...PLAIN, Meddler];
  const options = { runs: { grace: 50, lease: LEASE } };
  if (store === 'memory') {
    const clock = new HandClock();
    const app = await boot({ providers: [...providers, { provide: Clock, useValue: clock }], options });
    const goBy = (milliseconds: number) => async () => clock.advance(milliseconds);
    return { app, expire: goBy(5 * 3_600_000), loseLease: goBy(LEASE + 1), close: () => app.close() };
  }
  const database = await freshDatabase(await migratedTemplate());
  const app = await bootOnUrl(database.url, { providers, options });
  const sql = (text: string) => async () => void (await sqlOn(database.url, text));
  return {
    app,
    expire: sql(`update gatehouse.approval_request set expires_at = now() - interval '1 second'`),
    loseLease: sql(`update gatehouse.agent_run set lease_until = now() - interval '1 second' where status = 'running'`),
    close: async () => {
      await app.close();
      await database.drop();
    },
  };
}

/** What the model reads of its calls: `id outcome: content` of each result, in order. */
const resultsIn = (messages: readonly ThreadMessage[]): readonly string[] =>
  messages.flatMap((message) =>
    message.role === 'tool'
      ? message.results.map(({ toolCallId, outcome, content }) => `${toolCallId} ${outcome}: ${content}`)
      : [],
  );

const SENT = ['s1 success: sent 1', 's3 success: sent 3'] as const;
const ERASED = 'e4 success: erased 4';
const answers = (second: string, fourth: string): readonly string[] => [SENT[0], second, SENT[1], fourth];
/** What names an operation names it by our id. */
const WITHOUT_IDS = /\(operation [^)]*\)/;

describe.each(STORES)('the history that a model is given, in %s', (store) => {
  let place: Place;
  let runId: string;
  let script: ScriptedExecutor;

  beforeEach(async () => {
    place = await placeOn(store);
    const lines = strictly([[send(1), erase(2), send(3), erase(4)], [says('ok')]]);
    const { handle, script: played } = await place.app.play(lines, {
      user: ANN,
      threadId: 'thread',
      limits: { parallelToolCalls: 1 },
    });
    runId = handle.runId;
    script = played;
  });
  afterEach(() => place.close());

  const sweep = () => inside<{ sweep(): Promise<void> }>(place.app.module, 'RunSweeper').sweep();
  const ids = async () => (await asked(place.app, runId)).map(({ id, toolCallId }) => [toolCallId, id] as const);
  /** Says this to the second and yes to the fourth call. */
  const decide = async (second: { approved: boolean; reason?: string; editedArgs?: { n: number } }) => {
    const waiting = new Map(await ids());
    const decision = { approvalId: waiting.get('e2') ?? '', ...second };
    return place.app.resumed(runId, [decision, { approvalId: waiting.get('e4') ?? '', approved: true }]);
  };
  const ended = async (): Promise<void> => {
    const signal = AbortSignal.timeout(15_000);
    while ((await place.app.trail.terminals({ runId })).items.length === 0) {
      signal.throwIfAborted();
      await new Promise(setImmediate);
    }
  };
  /** What this run's model read, and what the next run's reads: each a history that a strict provider takes. */
  const histories = async () => {
    const next = await place.app.play(strictly([[says('and now?')]]), { user: ANN, threadId: 'thread' });
    expect(next.outcome).toMatchObject({ status: 'completed', output: 'and now?' });
    const own = script.requests.at(-1) ?? [];
    const later = next.script.requests[0] ?? [];
    expect([...providerProblems(own), ...providerProblems(later)]).toEqual([]);
    const read = (messages: readonly ThreadMessage[]) =>
      resultsIn(messages).map((line) => line.replace(WITHOUT_IDS, '(operation …)'));
    return { own: read(own), later: read(later) };
  };
  const both = (lines: readonly string[]) => ({ own: lines, later: lines });

  it('approved', async () => {
    await decide({ approved: true });
    expect(await histories()).toEqual(both(answers('e2 success: erased 2', ERASED)));
  });

  it('denied', async () => {
    await decide({ approved: false, reason: 'Keep it.' });
    expect(await histories()).toEqual(both(answers('e2 denied: Keep it.', ERASED)));
  });

  it('edited', async () => {
    await decide({ approved: true, editedArgs: { n: 9 } });
    expect(await histories()).toEqual(both(answers('e2 success: erased 9', ERASED)));
  });

  it('expired', async () => {
    await place.expire();
    await sweep();
    await ended();
    const late = 'denied: Nobody approved the tool call in time. It did not run.';
    expect(await histories()).toEqual(both(answers(`e2 ${late}`, `e4 ${late}`)));
  });

  it('void: asked once more with what arrived, and approved', async () => {
    const meddler = place.app.module.get(Meddler);
    meddler.times = 1;
    expect((await decide({ approved: true })).outcome).toMatchObject({ status: 'suspended' });
    const [again] = (await asked(place.app, runId)).filter(({ status }) => status === 'pending');
    await place.app.resumed(runId, [{ approvalId: again?.id ?? '', approved: true }]);
    expect(await histories()).toEqual(both(answers('e2 success: erased 102', ERASED)));
  });

  it('void twice', async () => {
    const meddler = place.app.module.get(Meddler);
    meddler.times = 1;
    await decide({ approved: true });
    meddler.times = 1;
    const [again] = (await asked(place.app, runId)).filter(({ status }) => status === 'pending');
    await place.app.resumed(runId, [{ approvalId: again?.id ?? '', approved: true }]);
    const failed = 'e2 failed: The call changed after it was approved, twice. It was not started.';
    expect(await histories()).toEqual(both(answers(failed, ERASED)));
    expect(place.app.module.get(PlainTools).ran).toEqual(['send 1', 'send 3', 'erase 4']);
  });

  it('cancelled while it waits', async () => {
    await place.app.runner.cancel(runId);
    const { later } = await histories();
    const skipped = 'skipped: Skipped: the run was cancelled. It did not run.';
    expect(later).toEqual(answers(`e2 ${skipped}`, `e4 ${skipped}`));
  });

  it('superseded by a new message', async () => {
    const { later } = await histories();
    const passed = 'denied: The user sent a new message before the tool call was approved. It did not run.';
    expect(later).toEqual(answers(`e2 ${passed}`, `e4 ${passed}`));
  });

  it('unknown: claimed, and its process is lost', async () => {
    place.app.module.get(PlainTools).during = async () => {
      await place.loseLease();
      await sweep();
    };
    await decide({ approved: true });
    expect((await asked(place.app, runId)).map(({ status }) => status)).toEqual(['unknown', 'cancelled']);
    const { later } = await histories();
    const lost = 'interrupted (operation …). Whether it took effect is not known.';
    expect(later).toEqual(answers(`e2 skipped: Tool 'erase' was ${lost}`, `e4 skipped: Tool 'erase' was ${lost}`));
    expect(place.app.module.get(PlainTools).ran).toEqual(['send 1', 'send 3', 'erase 2']);
  });

  it('cancelled while it runs', async () => {
    place.app.module.get(PlainTools).during = () => {
      void place.app.runner.cancel(runId);
      return new Promise((resolve) => setTimeout(resolve, 200));
    };
    await decide({ approved: true });
    const { later } = await histories();
    const lost = 'interrupted (operation …). Whether it took effect is not known.';
    const skipped = 'skipped: Skipped: the run was cancelled. It did not run.';
    expect(later).toEqual(answers(`e2 skipped: Tool 'erase' was ${lost}`, `e4 ${skipped}`));
  });
});
