import { setTimeout as pause } from 'node:timers/promises';
import { ServerProcess } from './server.process.js';

/** How long both servers may be away: on a busy machine a start takes its time. */
export const PATIENCE = 90_000;
const LONGEST_ANSWER = 20_000;

/** Somebody who speaks to the servers. */
export interface Person {
  readonly id: string;
  readonly organizationId?: string;
  readonly roles: readonly string[];
}

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Two servers on one database, and a client that goes to the other one where one is gone. */
export class ServerPair {
  readonly servers: readonly [ServerProcess, ServerProcess];
  /** Requests that a server which lived did not answer in time. */
  readonly hung: string[] = [];

  constructor(database: string) {
    this.servers = [new ServerProcess('one', database), new ServerProcess('two', database)];
  }

  async start(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.start()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  get killed(): readonly number[] {
    return this.servers.flatMap(({ killed }) => killed);
  }

  server(at: number): ServerProcess {
    return this.servers[at % 2 === 0 ? 0 : 1];
  }

  /** Asks `first`, then in turns both, until one answers. Throws where neither does in time. */
  async ask(first: number, person: Person, method: 'GET' | 'POST', path: string, body?: unknown): Promise<Answer> {
    const until = Date.now() + PATIENCE;
    for (let at = first; ; at += 1) {
      const answer = await this.once(at, person, method, path, body);
      if (answer !== undefined) return answer;
      if (Date.now() > until) throw new Error(`Neither server answered ${method} ${path} in time.`);
      await pause(50);
    }
  }

  /** Asks one server once; nothing where it does not answer, or dies while it does. */
  async once(
    at: number,
    { id, organizationId, roles }: Person,
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
  ): Promise<Answer | undefined> {
    const headers = {
      'content-type': 'application/json',
      'x-user': id,
      'x-roles': roles.join(','),
      ...(organizationId === undefined ? {} : { 'x-org': organizationId }),
    };
    try {
      const response = await fetch(`${this.server(at).url}/agent/${path}`, {
        method,
        headers,
        signal: AbortSignal.timeout(LONGEST_ANSWER),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.text() };
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') {
        this.hung.push(`${method} ${path} of ${id} was not answered within ${LONGEST_ANSWER} ms`);
      }
      return undefined;
    }
  }
}
