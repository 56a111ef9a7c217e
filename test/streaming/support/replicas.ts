import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditTrail, RunFeed, type GatehouseModuleOptions } from 'nest-gatehouse';

import { sqlOn } from '../../conformance/support/sql.js';
import { asks, eventsIn, get, jsonIn, post, runIdOf, type Received, type Who } from '../../e2e/support/client.js';
import { openDesk, type Desk } from '../../e2e/support/desk.app.js';
import { nobodyThere, visit, visiting, type Visit } from '../../e2e/support/visit.js';
import { freshDatabase, type FreshDatabase } from '../../support/postgres.js';

/** May read what is not hers. */
export const VIEWER: Who = { user: 'dora', org: 'acme', roles: 'run.read' };
export const CANCELLED = ['cancelled client disconnected'];
export const COMPLETED = ['completed null'];

interface Looked {
  readonly status: string;
  readonly lease_until: Date | null;
  readonly watched_until: Date | null;
  readonly cancel_source: string | null;
}

/** Apps on one database. The first one that starts a run drives it. */
export class Replicas {
  private readonly desks: Desk[] = [];

  private constructor(private readonly database: FreshDatabase) {}

  static async open(): Promise<Replicas> {
    return new Replicas(await freshDatabase());
  }

  /** A lease of two seconds: a watch is noted every quarter of one, and found to have passed within two of these. */
  async replica(streaming: GatehouseModuleOptions['streaming'] = {}, lease = '2s'): Promise<Desk> {
    const desk = await openDesk({ persistence: {}, runs: { lease }, streaming }, [
      TypeOrmModule.forRoot({ type: 'postgres', url: this.database.url, autoLoadEntities: true, extra: { max: 4 } }),
    ]);
    this.desks.push(desk);
    return desk;
  }

  async closeOne(desk: Desk): Promise<void> {
    this.desks.splice(this.desks.indexOf(desk), 1);
    await desk.close();
  }

  async close(): Promise<void> {
    await Promise.all(this.desks.splice(0).map((desk) => desk.close()));
    await this.database.drop();
  }

  /** The run as it is stored. */
  async look(runId: string): Promise<Looked> {
    const query = `select status, lease_until, watched_until, cancel_source from gatehouse.agent_run where id = '${runId}'`;
    const [row] = await sqlOn<Looked>(this.database.url, query);
    if (row === undefined) throw new Error(`There is no run ${runId}.`);
    return row;
  }

  /** What a process leaves behind that watched a run and was killed. */
  async watchedByTheDead(runId: string): Promise<void> {
    const query = `update gatehouse.agent_run set watched_until = clock_timestamp() + interval '300 milliseconds', watched_end = null where id = '${runId}'`;
    await sqlOn(this.database.url, query);
  }

  /** Resolves once the driver has looked who watches, several times since any note that is there now could have passed; throws where the run did not go on. */
  goesOn(runId: string): Promise<void> {
    return this.renewed(runId, 3_000);
  }

  /** Resolves once the driver has renewed its lease, as often as it does in `milliseconds`. */
  async renewed(runId: string, milliseconds = 1): Promise<void> {
    const until = async (): Promise<number> => {
      const { status, lease_until } = await this.look(runId);
      if (status !== 'running') throw new Error(`Run ${runId} is ${status}.`);
      return lease_until?.getTime() ?? 0;
    };
    const first = await until();
    while ((await until()) < first + milliseconds);
  }

  /** Resolves once a note about the run was written that was not there. */
  async notedAgain(runId: string): Promise<void> {
    const { watched_until: before } = await this.look(runId);
    while ((await this.look(runId)).watched_until?.getTime() === before?.getTime());
  }

  /** What was recorded of the run, once it is over. */
  async endOf(runId: string, at = this.desks[0]): Promise<string[]> {
    if (at === undefined) throw new Error('No replica is open.');
    const signal = AbortSignal.timeout(20_000);
    for await (const _frame of at.get(RunFeed).follow(runId, 0, { until: 'run', signal }));
    signal.throwIfAborted();
    const { items } = await at.get(AuditTrail).terminals({ runId });
    return items.map(({ status, source }) => `${status} ${source}`);
  }
}

export interface Begun {
  readonly runId: string;
  readonly owner: Visit;
}

/** A run that `desk` drives, in the middle of a call, and the client that started it. */
export async function begun(desk: Desk): Promise<Begun> {
  const owner = visit(desk);
  await owner.seen('TOOL_CALL_END');
  await desk.tools.slowly.reached();
  return { owner, runId: (await owner.response).headers.get('gatehouse-run-id') ?? '' };
}

/** Somebody who reads a run from its beginning, and has come to a call. */
export async function reading(desk: Desk, runId: string, who?: Who): Promise<Visit> {
  const visitor = visiting((signal) => get(desk, `runs/${runId}/events`, { who, signal }));
  await visitor.seen('TOOL_CALL_END');
  return visitor;
}

/** Attaches, and reads until the server ends the stream. */
export async function readToItsEnd(desk: Desk, id: string, who?: Who): Promise<() => Promise<Received[]>> {
  const response = await get(desk, `runs/${id}/events`, { who });
  const events = eventsIn(response, { timeoutMs: 20_000 });
  events.catch(() => undefined);
  return () => events;
}

/** Starts a run whose client leaves it while it waits. */
export async function waitingFor(desk: Desk, segment: string): Promise<string> {
  const input = asks('go', { runId: segment });
  const visitor = visit(desk, input);
  await visitor.seen('RUN_FINISHED');
  visitor.leave();
  await nobodyThere(desk);
  return runIdOf(desk, input);
}

/** Says yes in the inbox, with nobody attached; resolves once the run goes on, in the middle of a call. */
export async function approved(desk: Desk, runId: string): Promise<void> {
  const { items } = await jsonIn<{ items: { id: string; argumentsDigest: string }[] }>(
    get(desk, `approvals?runId=${runId}`),
  );
  const { id = '', argumentsDigest } = items[0] ?? {};
  await post(desk, `approvals/${id}/decision`, { approved: true, argumentsDigest });
  await desk.tools.slowly.reached();
}
