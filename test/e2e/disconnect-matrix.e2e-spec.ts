import type { CallHandler, NestInterceptor } from '@nestjs/common';
import compression from 'compression';
import { AuditTrail, RunFeed, RunStreams, Wakeup } from 'nest-gatehouse';
import type { Observable } from 'rxjs';

import { Http2Proxy } from '../support/http2.proxy.js';
import { asks, runIdOf, statusOf } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';
import { alone, chatting, compressed, keptAlive, overHttp2, pipelined, type Transport } from './support/lines.js';
import { PHASES, whileIntercepted, type Phase } from './support/phases.js';
import { RecordingLogger } from './support/recording.logger.js';
import { nobodyThere } from './support/visit.js';

/** Passes on what it is given, after what it waits for. */
class PassOn implements NestInterceptor {
  before: () => Promise<void> = async () => undefined;

  async intercept(_context: unknown, next: CallHandler): Promise<Observable<unknown>> {
    await this.before();
    return next.handle();
  }
}

interface Way {
  readonly way: string;
  readonly transport: Transport;
  readonly prepare?: Parameters<typeof openDesk>[2];
  readonly intercepted?: true;
  readonly proxied?: true;
}

const WAYS: readonly Way[] = [
  { way: 'on a connection of its own', transport: alone },
  { way: 'with an interceptor on the controller (nestjs/nest#17190, #17239)', transport: alone, intercepted: true },
  { way: 'on a connection kept alive', transport: keptAlive },
  { way: 'behind compression()', transport: compressed, prepare: (app) => app.use(compression({ threshold: 0 })) },
  { way: 'with requests pipelined behind it', transport: pipelined },
  { way: 'behind an HTTP/2 proxy', transport: overHttp2, proxied: true },
  { way: 'a chat', transport: chatting },
  {
    way: 'a chat with an interceptor on the controller (nestjs/nest#17190, #17239)',
    transport: chatting,
    intercepted: true,
  },
];
const CASES = WAYS.flatMap((way) =>
  (['cancel', 'continue'] as const).map((onDisconnect) => ({ ...way, onDisconnect })),
);

describe.each(CASES)(
  'a client that leaves $way, where leaving means $onDisconnect',
  ({ transport, prepare, intercepted, proxied, onDisconnect }) => {
    const interceptor = new PassOn();
    const phases = intercepted === true ? [...PHASES, whileIntercepted(interceptor)] : PHASES;
    let desk: Desk;
    let proxy: Http2Proxy | undefined;
    beforeAll(async () => {
      const options = { audit: { loggers: [RecordingLogger] }, streaming: { onDisconnect } };
      desk = await openDesk(options, [], (app) => {
        prepare?.(app);
        if (intercepted === true) app.useGlobalInterceptors(interceptor);
      });
      if (proxied === true) proxy = await Http2Proxy.to(desk.url);
    });
    afterAll(async () => {
      await proxy?.close();
      await desk.close();
    });

    /** The terminal records of a run, once it has said its last word; its status where it waits. */
    const endOf = async (runId: string): Promise<string[]> => {
      const signal = AbortSignal.timeout(5_000);
      for await (const _frame of desk.get(RunFeed).follow(runId, 0, { until: 'segment', signal }));
      signal.throwIfAborted();
      const { items } = await desk.get(AuditTrail).terminals({ runId });
      if (items.length === 0) return [await statusOf(desk, runId)];
      return items.map(({ status, source }) => `${status} ${source}`);
    };

    const leaveIn = async (phase: Phase) => {
      const input = asks('go');
      const { line, goOn } = await phase.reach(desk, () => transport(proxy?.url ?? desk.url, input));
      line.leave();
      await nobodyThere(desk);
      goOn();
      const fate = phase.fate[onDisconnect];
      const deadline = Date.now() + 5_000;
      let runId = await runIdOf(desk, input);
      // Left before it was stored, it is there a little later, or never.
      while (runId === '' && fate !== undefined && Date.now() < deadline) runId = await runIdOf(desk, input);
      return { line, runId, fate };
    };

    it.each(phases)('$name: one terminal record, which tells what happened', async (phase) => {
      const { runId, fate } = await leaveIn(phase);
      expect(runId === '' ? [] : await endOf(runId)).toEqual(fate === undefined ? [] : [fate]);
      const cancelled = fate?.startsWith('cancelled') === true;
      expect(desk.get(RecordingLogger).ofRun(runId)).toEqual(
        cancelled ? ['agent.run false cancelled: client disconnected'] : [],
      );
    });

    it('was sent what it was sent as it came: nothing compressed it, nothing held it back', async () => {
      const phase = PHASES.find(({ name }) => name === 'mid-text');
      if (phase === undefined) throw new Error('There is no such phase.');
      const { line, runId } = await leaveIn(phase);
      await endOf(runId);
      const head = await line.head;
      const raw = transport === pipelined;
      expect(raw ? line.heard.all : String(head['cache-control'])).toContain('no-transform');
      expect(raw ? line.heard.all : String(head['x-accel-buffering'])).toContain('no');
      expect(head['content-encoding']).toBeUndefined();
    });

    it('leaves no stream, no listener and no connection behind', async () => {
      await nobodyThere(desk);
      expect([desk.get(RunStreams).count, Reflect.get(desk.get(Wakeup), 'waiting') as number]).toEqual([0, 0]);
    });
  },
);
