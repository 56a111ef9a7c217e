import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * What is wrong with the line. `half-open`: connections stand, and nothing comes through any more. `no answer to a batch`: the next batch reaches the
 * server, its answer does not come back. `disk full` (SQLSTATE 53100), `statements mixed up` (26000, of a pooler): prepared batches are answered with an
 * error, and reach nobody. `away`: connections break.
 */
export type Fault = 'none' | 'half-open' | 'no answer to a batch' | 'disk full' | 'statements mixed up' | 'away';

const ANSWERS: { readonly [F in Fault]?: readonly [code: string, message: string] } = {
  'disk full': ['53100', 'could not extend file: No space left on device'],
  'statements mixed up': ['26000', 'prepared statement does not exist'],
};
// The name under which batches are prepared, in every message about them.
const BATCH = 'gatehouse_batch_';

/** Stands between a pool and a server, whichever it is pointed at, and does what its fault says. */
export class FaultyProxy {
  fault: Fault = 'none';
  /** How often the fault struck. */
  struck = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private target: URL,
  ) {}

  static async to(url: string): Promise<FaultyProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new FaultyProxy(server, new URL(url));
    server.on('connection', (client) => proxy.join(client));
    return proxy;
  }

  get url(): string {
    const through = new URL(this.target.href);
    through.hostname = '127.0.0.1';
    through.port = String((this.server.address() as AddressInfo).port);
    return through.href;
  }

  /** Leads to another server from now on; what is open breaks. */
  pointAt(url: string): void {
    const { hostname, port } = new URL(url);
    this.target = new URL(this.target.href);
    this.target.hostname = hostname;
    this.target.port = port;
    this.breakAll();
  }

  breakAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.fault = 'away';
    this.breakAll();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket): void {
    if (this.fault === 'away') return void client.destroy();
    const server = connect(Number(this.target.port || 5432), this.target.hostname);
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    let cutTheAnswer = false;
    client.on('data', (chunk) => {
      if (this.fault === 'half-open') return;
      const isBatch = chunk.includes(BATCH);
      const answer = ANSWERS[this.fault];
      if (isBatch && answer !== undefined) return this.refuse(client, ...answer);
      if (isBatch && this.fault === 'no answer to a batch') {
        this.fault = 'none';
        cutTheAnswer = true;
      }
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (this.fault === 'half-open') return;
      // The answer to the statement, not to its preparation alone.
      if (cutTheAnswer && chunk.includes('INSERT 0')) {
        this.struck += 1;
        return void client.destroy();
      }
      if (!cutTheAnswer) client.write(chunk);
    });
  }

  private refuse(client: Socket, code: string, message: string): void {
    this.struck += 1;
    client.write(Buffer.concat([errorResponse(code, message), READY]));
  }
}

const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SERROR\0VERROR\0C${code}\0M${message}\0\0`, 'utf8');
  const head = Buffer.from([0x45, 0, 0, 0, 0]);
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}
