import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Client, escapeIdentifier } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { Wakeup } from '../../contracts/ports/wakeup.js';
import { isUuid } from '../../values/ids.js';
import { InProcessWakeup } from '../in-process.wakeup.js';
import { clientConfig } from './client.config.js';

const FIRST_RETRY = 250;
const LAST_RETRY = 10_000;
const HEARTBEAT = 15_000;
const ANSWER_WITHIN = 10_000;

/**
 * Wakes readers in every process, through LISTEN and NOTIFY on one connection of its own. Only a hint: while the connection is away this
 * process still wakes its own readers, and once it is back everybody looks for what was missed.
 */
export class PostgresWakeup extends Wakeup implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('gatehouse.wakeup');
  private readonly here = new InProcessWakeup();
  private readonly channel: string;
  private readonly unsent = new Set<string>();
  private client: Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private retryAfter = FIRST_RETRY;
  private sending = false;
  private closed = false;
  private connecting: Promise<void> | undefined;

  constructor(
    private readonly options: DataSourceOptions,
    schema: string,
  ) {
    super();
    this.channel = `${schema}_run`;
  }

  override notify(runId: string): void {
    this.here.notify(runId);
    if (this.client === undefined || this.closed) return;
    this.unsent.add(runId);
    // What is said in one turn, and while an earlier batch is on its way, is one NOTIFY: each takes a lock of the whole server.
    setImmediate(() => void this.send());
  }

  override subscribe(runId: string, listener: () => void): () => void {
    return this.here.subscribe(runId, listener);
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.listen();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.connecting;
    const client = this.client;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }

  /** Connects and listens; without a database it keeps trying. Never rejects. */
  private listen(): Promise<void> {
    this.connecting = this.connect().catch((error: unknown) => this.lost(error));
    return this.connecting;
  }

  private async connect(): Promise<void> {
    const config = clientConfig(this.options);
    const connectionTimeoutMillis = Math.min(config.connectionTimeoutMillis ?? ANSWER_WITHIN, ANSWER_WITHIN);
    const client = new Client({ ...config, connectionTimeoutMillis, keepAlive: true, query_timeout: ANSWER_WITHIN });
    // A client without this listener ends the process when its connection breaks.
    client.on('error', (error) => this.lostIf(client, error));
    client.on('end', () => this.lostIf(client));
    client.on('notification', ({ payload, processId }) => {
      if (payload !== undefined && processId !== Reflect.get(client, 'processID')) this.heard(payload);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${escapeIdentifier(this.channel)}`);
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    this.client = client;
    this.retryAfter = FIRST_RETRY;
    this.later(HEARTBEAT, () => void this.beat(client));
    this.here.notifyAll();
  }

  private async send(): Promise<void> {
    const client = this.client;
    if (this.sending || client === undefined || this.unsent.size === 0) return;
    this.sending = true;
    const ids = [...this.unsent];
    this.unsent.clear();
    try {
      await client.query('SELECT pg_notify($1, id) FROM unnest($2::text[]) AS id', [this.channel, ids]);
    } catch (error) {
      this.lostIf(client, error);
    } finally {
      this.sending = false;
    }
    await this.send();
  }

  private heard(payload: string): void {
    if (isUuid(payload)) this.here.notify(payload);
  }

  // A half-open connection, and a pooler that forgot our LISTEN, are only seen by asking.
  private async beat(client: Client): Promise<void> {
    try {
      const { rowCount } = await client.query('SELECT FROM pg_listening_channels() AS c WHERE c = $1', [this.channel]);
      if (rowCount !== 1) throw new Error('the server no longer listens');
      if (this.client === client) this.later(HEARTBEAT, () => void this.beat(client));
    } catch (error) {
      this.lostIf(client, error);
    }
  }

  private lostIf(client: Client, error?: unknown): void {
    if (this.client !== client) return;
    this.client = undefined;
    void client.end().catch(() => undefined);
    this.lost(error);
  }

  private lost(_error?: unknown): void {
    if (this.closed) return;
    this.unsent.clear();
    this.logger.warn(`The wakeup connection is lost; readers poll. Trying again in ${this.retryAfter} ms.`);
    this.later(this.retryAfter, () => void this.listen());
    this.retryAfter = Math.min(this.retryAfter * 2, LAST_RETRY);
  }

  private later(milliseconds: number, work: () => void): void {
    clearTimeout(this.timer);
    if (!this.closed) this.timer = setTimeout(work, milliseconds).unref();
  }
}
