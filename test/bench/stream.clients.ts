// The clients of the stream bench: a process of their own, so that what they cost is not what the server costs.
import { Agent, request, type IncomingMessage } from 'node:http';

/** What the server's process asks for. */
export interface Visit {
  readonly url: string;
  readonly count: number;
  /** The body of each request, `{n}` being its number. */
  readonly body: string;
}

/** Sent once every stream is open, and once every stream has ended. */
export type Report =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'ended';
      readonly events: number;
      readonly characters: number;
      /** Microseconds from a stamp in a text to its arrival. */
      readonly delays: readonly number[];
    };

const HEADERS = { 'content-type': 'application/json', accept: 'text/event-stream', 'x-user': 'bench' };
const STAMP = /@(\d+)@/g;
const agent = new Agent({ maxSockets: Infinity });
const say = (report: Report): void => void process.send?.(report);

interface Tally {
  events: number;
  characters: number;
  readonly delays: number[];
}

const opened = ({ url, body }: Visit, at: number): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const asking = request(url, { method: 'POST', agent, headers: HEADERS }, resolve).on('error', reject);
    asking.end(body.replaceAll('{n}', `${process.pid}-${Date.now()}-${at}`));
  });

/** Counts and nothing more: a client that parses would be the slower side. */
const read = (response: IncomingMessage, tally: Tally): Promise<void> =>
  new Promise((resolve, reject) => {
    response.setEncoding('latin1');
    response.on('data', (text: string) => {
      tally.characters += text.length;
      for (let at = text.indexOf('data: '); at >= 0; at = text.indexOf('data: ', at + 6)) tally.events += 1;
      if (text.includes('@')) {
        const now = process.hrtime.bigint();
        for (const [, stamp = '0'] of text.matchAll(STAMP)) tally.delays.push(Number(now - BigInt(stamp)) / 1000);
      }
    });
    response.on('end', resolve).on('error', reject);
  });

process.on('message', (visit: Visit) => {
  const run = async (): Promise<void> => {
    const tally: Tally = { events: 0, characters: 0, delays: [] };
    const responses = await Promise.all(Array.from({ length: visit.count }, (_, at) => opened(visit, at)));
    const reading = responses.map((response) => read(response, tally));
    say({ kind: 'open' });
    await Promise.all(reading);
    say({ kind: 'ended', ...tally });
  };
  run().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
