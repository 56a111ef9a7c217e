import { BullModule, getQueueToken, type BullRootModuleOptions } from '@nestjs/bullmq';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Worker, type Job, type Queue } from 'bullmq';
import { AgentRunner, AuditTrail, RunDispatcher, RunFeed, type GatehouseModuleOptions } from 'nest-gatehouse';
import { RUN_QUEUE, RunProcessor, RunQueueModule, type RunJob } from 'nest-gatehouse/bullmq';
import { call, says, scriptedExecutor, type ExecutorLine } from 'nest-gatehouse/testing';

import { freshDatabase, type FreshDatabase } from '../../support/postgres.js';
import { answering, chat, chatBody, chunkTypes, requestedIn, userMessage } from './chat.js';
import { asks, eventsIn, fresh, get, jsonIn, post, statusOf, typesOf } from './client.js';
import { DeskAgent, openDesk, type Desk } from './desk.app.js';

/** What `BullModule.forRoot` is given. */
export type QueueOf = (database: FreshDatabase) => BullRootModuleOptions;

/** Resolves once the run has said its last word. */
export const ended = async (desk: Desk, runId: string): Promise<void> => {
  const signal = AbortSignal.timeout(20_000);
  for await (const _frame of desk.get(RunFeed).follow(runId, 0, { until: 'run', signal }));
  signal.throwIfAborted();
};

const runIdIn = (response: Response): string => response.headers.get('gatehouse-run-id') ?? '';

const terminals = async (desk: Desk, runId: string) =>
  (await desk.get(AuditTrail).terminals({ runId })).items.map(({ status, source }) => ({ status, source }));

/** The story of servers and workers, told once for each place where BullMQ keeps its jobs. */
export function describeWorkers(name: string, queue: QueueOf): void {
  describe(`a server and a worker, their queue ${name}`, () => {
    let database: FreshDatabase;
    const desks: Desk[] = [];

    const open = async (
      role: 'server' | 'worker',
      options: GatehouseModuleOptions['runs'] = {},
      lines: readonly ExecutorLine[] = [],
    ): Promise<Desk> => {
      const work = role === 'worker' ? { work: { concurrency: 2 } } : {};
      const execute = role === 'worker' ? 'here' : 'dispatched';
      const desk = await openDesk(
        { persistence: {}, runs: { lease: '4s', grace: 500, execute, ...options } },
        [
          TypeOrmModule.forRoot({ type: 'postgres', url: database.url, autoLoadEntities: true }),
          BullModule.forRoot(queue(database)),
          RunQueueModule.register(work),
        ],
        (app) => {
          // Before it boots: a worker may find runs at once.
          app.get(DeskAgent).script = scriptedExecutor(lines);
        },
      );
      desks.push(desk);
      return desk;
    };
    const jobs = (desk: Desk): Queue<RunJob> =>
      desk.app.get<Queue<RunJob>>(getQueueToken(RUN_QUEUE), { strict: false });

    beforeEach(async () => {
      database = await freshDatabase();
    });
    afterEach(async () => {
      await Promise.all(desks.splice(0).map((desk) => desk.close()));
      await database.drop();
    });

    it('a run is executed by the worker, and its client reads it from the server, whole', async () => {
      const [server, worker] = [await open('server'), await open('worker')];
      worker.play([[call('lookup', { order: 1 })], [says('There it is.')]]);
      const response = await post(server, 'runs', asks('look up 1'));
      const events = await eventsIn(response, { timeoutMs: 20_000 });
      expect([server.tools.done, worker.tools.done]).toEqual([[], ['lookup 1']]);
      expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1));
      expect(typesOf(events).filter((type) => type.startsWith('RUN_'))).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
      expect(events.at(-1)?.event['outcome']).toEqual({ type: 'success' });
      expect(await eventsIn(await get(worker, `runs/${runIdIn(response)}/events`))).toEqual(events);
      const counts = await jobs(server).getJobCounts('waiting', 'active', 'completed', 'failed', 'delayed');
      expect(Object.values(counts).every((count) => count === 0)).toBe(true);
    });

    it('a job that comes twice, and one for a run that is over, start nothing', async () => {
      const [server, worker] = [await open('server'), await open('worker')];
      worker.play([[call('slow', { order: 1 })], [says('Done.')]]);
      const runId = runIdIn(await post(server, 'runs', asks('go')));
      await worker.tools.slowly.reached();
      await server.get(RunDispatcher).dispatch(runId);
      await jobs(server).add('run', { runId }, { attempts: 1, removeOnComplete: true });
      worker.tools.slowly.open();
      await ended(server, runId);
      await jobs(server).add('run', { runId }, { attempts: 1, removeOnComplete: true });
      worker.play([[says('Another one.')]]);
      await eventsIn(await post(server, 'runs', asks('another')), { timeoutMs: 20_000 });
      expect(worker.tools.done).toEqual(['slow started']);
      expect(await terminals(server, runId)).toEqual([{ status: 'completed', source: null }]);
    });

    it('an approval given on the server goes on on the worker, in the client’s new segment', async () => {
      const [server, worker] = [await open('server'), await open('worker')];
      worker.play([[call('refund', { order: 7, amount: 5 })], [says('Refunded.')]]);
      const input = asks('refund 7');
      const first = await eventsIn(await post(server, 'runs', input), { timeoutMs: 20_000 });
      const { interrupts } = first.at(-1)?.event['outcome'] as { interrupts: { id: string }[] };
      const resume = interrupts.map(({ id }) => ({ interruptId: id, status: 'resolved', payload: { approved: true } }));
      const second = await post(
        server,
        'runs',
        asks('', { threadId: input['threadId'], messages: [], resume, runId: 'go-on' }),
      );
      const rest = await eventsIn(second, { timeoutMs: 20_000 });
      expect(rest[0]?.event).toMatchObject({ type: 'RUN_STARTED', runId: 'go-on' });
      expect(rest.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' }, runId: 'go-on' });
      expect([server.tools.done, worker.tools.done]).toEqual([[], ['refund 7 5']]);
    });

    it('a chat is asked by the worker, approves on the server, and reads the same message on', async () => {
      const [server, worker] = [await open('server'), await open('worker')];
      worker.play([[call('refund', { order: 7, amount: 5 }, 'far-1')], [says('Refunded.')]]);
      const id = fresh('chat');
      const question = userMessage('refund 7');
      const first = await chat(server, chatBody(id, [question]));
      const [approvalId] = requestedIn(first);
      expect([approvalId, chunkTypes(first).slice(-2)]).toEqual([
        expect.any(String),
        ['tool-approval-request', 'finish'],
      ]);
      const answer = answering({ id: approvalId, approved: true });
      const second = await chat(server, chatBody(id, [question, answer]));
      expect(second.slice(0, 2)).toEqual([
        first[0],
        { type: 'tool-output-available', toolCallId: 'far-1', output: 'refunded' },
      ]);
      expect(chunkTypes(second).at(-1)).toBe('finish');
      expect([server.tools.done, worker.tools.done]).toEqual([[], ['refund 7 5']]);
    });

    it('a run that only its process can execute is executed there, an approval included', async () => {
      const [server, worker] = [await open('server'), await open('worker')];
      const agent = scriptedExecutor([[call('refund', { order: 7, amount: 5 })], [says('ok')]]);
      const user = { id: 'ann', organizationId: 'acme' };
      const handle = server.get(AgentRunner).start({ agent, input: 'go', user });
      const outcome = await handle.outcome;
      if (outcome.status !== 'suspended') throw new Error(outcome.status);
      const { id, argumentsDigest } = outcome.approvals[0] ?? { id: '', argumentsDigest: '' };
      await post(server, `approvals/${id}/decision`, { approved: true, argumentsDigest });
      await ended(worker, handle.runId);
      expect([server.tools.done, worker.tools.done]).toEqual([['refund 7 5'], []]);
    });

    it('a handle of a run elsewhere tells its outcome, and cancels it', async () => {
      const [server, worker] = [await open('server'), await open('worker')];
      const runner = server.get(AgentRunner);
      const user = { id: 'ann', organizationId: 'acme' };
      worker.play([[says('Here you are.')]]);
      expect(await runner.start({ agent: 'desk', input: 'a', user }).outcome).toEqual({
        status: 'completed',
        output: 'Here you are.',
        text: 'Here you are.',
      });
      worker.play([[call('refund', { order: 7 })]]);
      expect(await runner.start({ agent: 'desk', input: 'b', user }).outcome).toMatchObject({
        status: 'suspended',
        approvals: [{ toolName: 'refund', status: 'pending' }],
      });
      worker.play([[call('slow', { order: 1 })]]);
      const slow = runner.start({ agent: 'desk', input: 'c', user });
      await worker.tools.slowly.reached();
      await slow.cancel('enough');
      expect(await slow.outcome).toMatchObject({
        status: 'cancelled',
        error: { name: 'RunCancelledError', source: 'requested', reason: 'enough' },
      });
    });

    it('a client that leaves the server cancels the run on the worker', async () => {
      const [server, worker] = [await open('server'), await open('worker')];
      worker.play([[call('slow', { order: 1 })], [says('never')]]);
      const leaving = new AbortController();
      const runId = runIdIn(await post(server, 'runs', asks('go'), { signal: leaving.signal }));
      await worker.tools.slowly.reached();
      leaving.abort();
      await ended(server, runId);
      expect(await terminals(server, runId)).toEqual([{ status: 'cancelled', source: 'client disconnected' }]);
    });

    it('a job whose worker was lost is not run again; a run that was not begun by then is handed over anew', async () => {
      const server = await open('server');
      const lost = new Worker(RUN_QUEUE, null, { ...queue(database), autorun: false, lockDuration: 100 });
      const response = await post(server, 'runs', asks('look up 1'));
      let job: Job<RunJob> | undefined;
      while (job === undefined) job = (await lost.getNextJob('lost')) as Job<RunJob> | undefined;
      expect(job.data).toEqual({ runId: runIdIn(response) });
      await lost.close(true);
      const ran: (string | undefined)[] = [];
      const rule = { maxStalledCount: 0, stalledInterval: 100, autorun: false };
      const other = new Worker(RUN_QUEUE, async ({ id }) => void ran.push(id), { ...queue(database), ...rule });
      const failed = new Promise<string | undefined>((resolve) =>
        other.on('failed', (stalled) => resolve(stalled?.id)),
      );
      void other.run();
      expect([await failed, ran]).toEqual([job.id, []]);
      await other.close();

      const worker = await open('worker', {}, [[call('lookup', { order: 1 })], [says('There it is.')]]);
      expect(worker.get(RunProcessor).worker.opts.maxStalledCount).toBe(rule.maxStalledCount);
      expect((await eventsIn(response, { timeoutMs: 20_000 })).at(-1)?.event['outcome']).toEqual({ type: 'success' });
      expect(worker.tools.done).toEqual(['lookup 1']);
    });

    it('whoever stops an answer and says something else at once is answered, and the stopped run is cancelled first', async () => {
      const [server, worker] = [await open('server', { lease: '60s' }), await open('worker', { lease: '60s' })];
      worker.play([[call('slow', { order: 1 })], [says('never')]]);
      const leaving = new AbortController();
      const input = asks('go');
      const stopped = runIdIn(await post(server, 'runs', input, { signal: leaving.signal }));
      await worker.tools.slowly.reached();
      leaving.abort();
      while (server.busy() > 0) await new Promise(setImmediate);
      worker.play([[says('Here.')]]);
      const next = await eventsIn(await post(server, 'runs', asks('else', { threadId: input['threadId'] })), {
        timeoutMs: 20_000,
      });
      expect(next.at(-1)?.event['outcome']).toEqual({ type: 'success' });
      expect(await terminals(server, stopped)).toEqual([{ status: 'cancelled', source: 'client disconnected' }]);
    });

    it('a worker that closes ends its runs, and takes none that is queued meanwhile; the next one does', async () => {
      const [server, worker] = [await open('server'), await open('worker')];
      worker.play([[call('slow', { order: 1 })], [says('never')]]);
      const first = await post(server, 'runs', asks('go'));
      await worker.tools.slowly.reached();
      await worker.close();
      expect((await eventsIn(first, { timeoutMs: 20_000 })).at(-1)?.event).toMatchObject({
        type: 'RUN_FINISHED',
        outcome: { type: 'cancelled' },
        metadata: { gatehouse: { source: 'shutdown' } },
      });
      const second = await post(server, 'runs', asks('again'));
      expect(await statusOf(server, runIdIn(second))).toBe('queued');
      await open('worker', {}, [[says('Here.')]]);
      expect((await eventsIn(second, { timeoutMs: 20_000 })).at(-1)?.event['outcome']).toEqual({ type: 'success' });
      expect(await jsonIn(get(server, `runs?status=queued`))).toEqual({ items: [], nextCursor: null });
    });
  });
}
