import { setTimeout as pause } from 'node:timers/promises';

import { Random } from '../../chaos/random.js';
import { asks, fresh, get, jsonIn, post } from '../../e2e/support/client.js';
import { answering, chatBody, userMessage } from '../../e2e/support/chat.js';
import type { Desk } from '../../e2e/support/desk.app.js';
import { decideAll, opposite, payloadOf, type Waiting } from './approver.js';
import { ChatReader, type Telling } from './chat.reader.js';
import { orderOf, threadOf, type FaultStory, type PlannedDecision, type PlannedReader } from './fault.story.js';
import type { FaultyProxy } from './faulty.proxy.js';
import { KnownRun } from './known.run.js';
import { SteadfastReader, type Reading, type Wish } from './steadfast.reader.js';

/** What came of a story. */
export interface Played {
  readonly runId: string;
  readonly segments: number;
  readonly readings: readonly Reading[];
  readonly tellings: readonly Telling[];
  /** What approvers were answered. */
  readonly statuses: readonly number[];
  /** Somebody really asked for it. */
  readonly cancelled: boolean;
}

const TERMINAL = new Set(['completed', 'cancelled', 'failed', 'aborted', 'raised', 'interrupted']);

/** Plays one story over its own lines: the client that starts it, whoever decides, whoever reads. */
export class StoryPlayer {
  private readonly known = new KnownRun();
  private readonly dice: Random;
  private readonly readings: Promise<Reading>[] = [];
  private readonly statuses: number[] = [];
  private readonly asked = new Set<number>();
  private cancelled = false;

  constructor(
    private readonly story: FaultStory,
    private readonly desks: readonly Desk[],
    private readonly lines: readonly FaultyProxy[],
  ) {
    this.dice = new Random(story.seed ^ 0x5bd1e995);
  }

  async play(): Promise<Played> {
    const { story, known } = this;
    const readers = story.readers.map((planned) => this.readLater(planned, this.dice.fork()));
    const cancelling = this.cancelLater();
    const chat = story.protocol === 'chat' ? new ChatReader(this.where, known, threadOf(story)) : undefined;
    await (chat === undefined ? this.talk() : this.chat(chat));
    await this.learn();
    known.ended();
    await Promise.all([...readers, cancelling]);
    const { statuses, cancelled } = this;
    return {
      runId: known.runId,
      segments: known.segments.length,
      readings: await Promise.all(this.readings),
      tellings: chat?.tellings ?? [],
      statuses,
      cancelled,
    };
  }

  private readonly where = (): string => this.dice.pick(this.lines).url;

  private read(wish: Wish, dice = this.dice.fork()): Promise<Reading> {
    const reading = new SteadfastReader(this.where, this.known, dice, wish).read();
    this.readings.push(reading);
    // It is awaited at the end.
    reading.catch(() => undefined);
    return reading;
  }

  /** The client of AG-UI: starts, answers what waits, and reads each segment to its end. */
  private async talk(): Promise<void> {
    const input = asks('go', { threadId: threadOf(this.story) });
    let reading = await this.read({ of: String(input['runId']), until: 'segment', body: input });
    while (outcomeOf(reading) === 'interrupt') {
      const last = String([...reading.events.keys()].at(-1));
      const resumed = await this.decide((word, waiting, hasty) => this.resume(input, word, waiting, hasty));
      const own = resumed.find((answer) => answer !== undefined && answer.refused === undefined);
      reading = own ?? (await this.read({ of: 'run', until: 'segment', last }));
    }
  }

  private resume(input: object, word: PlannedDecision['word'], waiting: readonly Waiting[], hasty?: number) {
    const resume = waiting.map((approval) => {
      const { id: interruptId } = approval;
      return { interruptId, status: 'resolved', payload: payloadOf(word, approval) };
    });
    const name = fresh('resumed');
    const body = { ...input, runId: name, messages: [], resume };
    return this.read({ of: name, until: 'segment', body, ...(hasty === undefined ? {} : { hasty }) });
  }

  /** The client of the AI SDK: the same, by the chat's id. */
  private async chat(reader: ChatReader): Promise<void> {
    const id = threadOf(this.story);
    const question = userMessage('go', `question of ${id}`);
    for (;;) {
      const status = await this.status();
      if (TERMINAL.has(status)) break;
      if (status === 'suspended') {
        await this.decide(async (word, waiting, hasty) => {
          const answers = waiting.map((approval) => ({ id: approval.id, approved: word !== 'no' }));
          await reader.post(chatBody(id, [question, answering(...answers)]), hasty);
          return undefined;
        });
        await reader.follow();
      } else if (status === 'none') {
        if (!(await reader.post(chatBody(id, [question])))) await reader.follow();
      } else {
        await reader.follow();
        this.readBehind(reader);
      }
    }
    this.readBehind(reader);
  }

  /** A page that watches the chat's run goes on behind an id that the chat had, in the middle of a frame or not. */
  private readBehind({ ids }: ChatReader): void {
    const within = ids.filter((id) => id.includes('.'));
    const from = within.length > 0 && this.dice.chance(0.5) ? within : ids;
    if (from.length > 0) void this.read({ of: 'run', until: 'run', last: this.dice.pick(from) });
  }

  /** Everything that waits is decided once this is over, whoever was first; of a chat, where its request came through. */
  private async decide(
    client: (
      word: PlannedDecision['word'],
      waiting: readonly Waiting[],
      hasty?: number,
    ) => Promise<Reading | undefined>,
  ): Promise<readonly (Reading | undefined)[]> {
    const { items: waiting } = await jsonIn<{ items: Waiting[] }>(
      get(this.direct, `approvals?runId=${await this.runId()}&status=pending`, {}),
    );
    const [first] = waiting;
    if (first === undefined) return [];
    const { word: planned, way, contrary, hasty } = this.planned(first);
    // A chat has no field for changed arguments.
    const word = this.story.protocol === 'chat' && planned === 'edited' ? 'yes' : planned;
    const second = contrary ? opposite(word) : word;
    const inbox = async (said: PlannedDecision['word']): Promise<undefined> =>
      void this.statuses.push(...(await decideAll(this.where, waiting, said)));
    switch (way) {
      case 'inbox':
        return Promise.all([inbox(planned)]);
      case 'inbox twice':
        return Promise.all([inbox(planned), inbox(contrary ? opposite(planned) : planned)]);
      case 'client':
        return Promise.all([client(word, waiting, hasty)]);
      case 'client twice':
        return Promise.all([client(word, waiting, hasty), client(second, waiting)]);
      case 'client and inbox':
        return Promise.all([client(word, waiting, hasty), inbox(second)]);
    }
  }

  /** What the story has for a call that waits; who asks again is in no haste any more. */
  private planned({ args }: Waiting): PlannedDecision {
    const { turns, decisions } = this.story;
    const at = turns.findIndex((_, turn) => [0, 1].some((call) => orderOf(this.story, turn, call) === args.order));
    const planned = decisions[at - turns.findIndex(({ gated }) => gated > 0)];
    if (planned === undefined) throw new Error(`Nobody knows what to say to order ${args.order}.`);
    const { hasty: _, ...calm } = planned;
    const isFirst = !this.asked.has(args.order);
    this.asked.add(args.order);
    return isFirst ? planned : calm;
  }

  private async readLater({ kind, behind }: PlannedReader, dice: Random): Promise<void> {
    const { known } = this;
    await (behind === 0 && kind !== 'segment' ? known.started() : known.reached(Math.max(1, behind)));
    if (kind !== 'segment') return void this.read({ of: kind === 'whole' ? 'run' : 'any', until: 'run' }, dice);
    const of = dice.pick(known.segments).name;
    const had = dice.chance(0.6) ? { last: String(dice.below(known.lastSeq + 1)) } : {};
    void this.read({ of, until: 'segment', ...had }, dice);
  }

  private async cancelLater(): Promise<void> {
    const { cancel } = this.story;
    if (cancel === undefined) return;
    await this.known.started();
    await pause(cancel.after);
    const desk = this.desks[cancel.at] ?? this.direct;
    const { status } = await jsonIn<{ status: string }>(post(desk, `runs/${await this.runId()}/cancel`, {}));
    this.cancelled = status === 'cancelled' || status === 'running';
  }

  /** Everything that is stored, so that whoever comes late knows the names of all segments. */
  private async learn(): Promise<void> {
    const reading = await new SteadfastReader(() => this.direct.url, this.known, this.dice.fork(), {
      of: 'run',
      until: 'run',
    }).read();
    this.known.lastSeq = [...reading.events.keys()].at(-1) ?? 0;
  }

  private get direct(): Desk {
    const [desk] = this.desks;
    if (desk === undefined) throw new Error('There is no desk.');
    return desk;
  }

  private async runId(): Promise<string> {
    await this.status();
    return this.known.runId;
  }

  private async status(): Promise<string> {
    const query = `runs?threadId=${threadOf(this.story)}&limit=2`;
    const { items } = await jsonIn<{ items: { id: string; status: string }[] }>(get(this.direct, query));
    if (items.length > 1) throw new Error('One question started two runs.');
    const [run] = items;
    if (run !== undefined) this.known.named(run.id);
    return run?.status ?? 'none';
  }
}

function outcomeOf({ events }: Reading): string | undefined {
  const { outcome } = JSON.parse([...events.values()].at(-1) ?? '{}') as { outcome?: { type: string } };
  return outcome?.type;
}
