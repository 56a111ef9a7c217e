import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/** Where the next connection breaks. */
export type Cut = 'never' | 'before commit' | 'after commit';

const COMMIT = 'COMMIT\0';

/** Stands between a pool and the server, and breaks a connection around its COMMIT, or a statement that needs none, or refuses all of them. */
export class CuttingProxy {
  /** The next COMMIT is cut: not forwarded, or done but never answered. Then it is `never` again. */
  cut: Cut = 'never';
  /** Part of a statement that commits by itself: cut is around it. */
  statement: string | undefined;
  private asked = false;
  /** How often it has cut. */
  cuts = 0;
  private away = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(url: string): Promise<CuttingProxy> {
    const target = new URL(url);
    const server = createServer();
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const through = new URL(url);
    through.hostname = '127.0.0.1';
    through.port = String((server.address() as AddressInfo).port);
    const proxy = new CuttingProxy(server, through.href);
    server.on('connection', (client) => proxy.serve(client, connect(Number(target.port || 5432), target.hostname)));
    return proxy;
  }

  /** The database is gone: every connection breaks, none comes through. */
  goAway(): void {
    this.away = true;
    for (const socket of this.sockets) socket.destroy();
  }

  comeBack(): void {
    this.away = false;
  }

  async close(): Promise<void> {
    this.goAway();
    await new Promise<void>((closed) => this.server.close(() => closed()));
  }

  private serve(client: Socket, server: Socket): void {
    const both = [client, server];
    const destroy = (): void => both.forEach((socket) => socket.destroy());
    for (const socket of both) {
      this.sockets.add(socket);
      socket.on('error', destroy);
      socket.on('close', () => {
        this.sockets.delete(socket);
        destroy();
      });
    }
    if (this.away) return destroy();
    client.on('data', (chunk) => (this.isCut(chunk, 'before commit') ? destroy() : server.write(chunk)));
    server.on('data', (chunk) => (this.isCut(chunk, 'after commit') ? destroy() : client.write(chunk)));
  }

  private isCut(chunk: Buffer, where: Cut): boolean {
    if (this.cut === 'never' || !this.isThere(chunk, where) || this.cut !== where) return false;
    this.asked = false;
    this.cut = 'never';
    this.cuts += 1;
    return true;
  }

  private isThere(chunk: Buffer, where: Cut): boolean {
    if (this.statement === undefined) return chunk.includes(COMMIT);
    if (where === 'after commit') return this.asked;
    return (this.asked = chunk.includes(this.statement));
  }
}
