import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

import type { Random } from '../../chaos/random.js';

/** What the line does to a connection once so many bytes of answers have passed. */
export interface Fault {
  /** `half-open`: one end is gone, and the other is not told. */
  readonly kind: 'cut' | 'stall' | 'client gone' | 'server gone';
  readonly after: number;
}

const KINDS: readonly Fault['kind'][] = ['cut', 'stall', 'client gone', 'server gone'];
/** In milliseconds. */
const LONGEST_STALL = 60;

/** A line between clients and a server that fails now and then, as its seed says. */
export class FaultyProxy {
  /** How often each fault really happened. */
  readonly happened: Record<Fault['kind'], number> = { cut: 0, stall: 0, 'client gone': 0, 'server gone': 0 };
  private readonly sockets = new Set<Socket>();
  private healed = false;

  private constructor(
    private readonly server: Server,
    private readonly random: Random,
    readonly url: string,
  ) {}

  static async to(target: string, random: Random): Promise<FaultyProxy> {
    const { hostname, port } = new URL(target);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const proxy = new FaultyProxy(server, random, url);
    server.on('connection', (client) => proxy.join(client, connect(Number(port), hostname)));
    return proxy;
  }

  /** From now on new connections are whole. */
  heal(): void {
    this.healed = true;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket, upstream: Socket): void {
    const fault = this.healed ? undefined : this.draw();
    let passed = 0;
    this.track(client, () => fault?.kind !== 'client gone' && upstream.destroy());
    this.track(upstream, () => fault?.kind !== 'server gone' && client.destroy());
    client.on('data', (part) => upstream.write(part));
    upstream.on('data', (part: Buffer) => {
      const before = passed;
      passed += part.length;
      if (fault === undefined || before > fault.after || passed <= fault.after) return void client.write(part);
      // Some of it comes through, in the middle of an event.
      client.write(part.subarray(0, fault.after - before));
      this.fail(fault, client, upstream, part.subarray(fault.after - before));
    });
  }

  private fail({ kind }: Fault, client: Socket, upstream: Socket, rest: Buffer): void {
    this.happened[kind] += 1;
    if (kind === 'cut') client.destroy();
    else if (kind === 'client gone') client.destroy();
    else if (kind === 'server gone') upstream.destroy();
    else {
      upstream.pause();
      const goOn = (): void => {
        client.write(rest);
        upstream.resume();
      };
      setTimeout(goOn, this.random.below(LONGEST_STALL));
    }
  }

  private draw(): Fault | undefined {
    if (this.random.chance(0.25)) return undefined;
    // At 0 the answer is lost, whatever it was; the headers of a stream are some 400 bytes.
    return { kind: this.random.pick(KINDS), after: this.random.below(this.random.pick([1, 300, 1_500, 6_000])) };
  }

  private track(socket: Socket, closed: () => unknown): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.sockets.delete(socket);
      closed();
    });
  }
}
