import { AuditTrail } from 'nest-gatehouse';

import { get, statusOf } from '../../e2e/support/client.js';
import type { Desk } from '../../e2e/support/desk.app.js';
import { idsRise, wordsOfStored, wordsOfTelling } from './chat.words.js';
import { isBeside, type Telling } from './chat.reader.js';
import { dataById } from './data.by.id.js';
import { AMOUNT, EDITED, type FaultStory } from './fault.story.js';
import type { WireEvent } from './known.run.js';
import type { Reading } from './steadfast.reader.js';
import type { Played } from './story.player.js';

/** What must hold of a played story. */
export class StoryChecks {
  readonly faults: string[] = [];
  private stored: ReadonlyMap<number, string> = new Map();
  private events: readonly (readonly [number, WireEvent & { readonly toolCallId?: string }])[] = [];

  constructor(
    private readonly story: FaultStory,
    private readonly played: Played,
    private readonly desks: readonly Desk[],
    private readonly onDisconnect: 'continue' | 'cancel',
  ) {}

  /** What is stored, without what was spoken. */
  get outline(): string {
    const told = this.events.filter(([, { type }]) => !/^(TEXT|STEP|TOOL_CALL_(ARGS|END))/.test(type));
    return told.map(([seq, { type, outcome, runId = '' }]) => `${seq} ${type} ${outcome?.type ?? runId}`).join(', ');
  }

  /** How it ended: the status and, of a cancelled one, by whom. */
  async ending(): Promise<string> {
    const { runId, readings, tellings } = this.played;
    const data = await dataById(await get(this.desk, `runs/${runId}/events`));
    this.stored = new Map([...data].map(([id, text]) => [Number(id), text]));
    this.events = [...this.stored].map(([seq, text]) => [seq, JSON.parse(text) as WireEvent]);
    this.same(
      'stored ids',
      [...this.stored.keys()],
      [...this.stored.keys()].map((_, at) => at + 1),
    );
    for (const reading of readings) this.reading(reading);
    for (const telling of tellings) this.telling(telling);
    this.results();
    const ending = await this.terminal();
    await this.approvals(ending);
    return ending;
  }

  private reading({ wish, of, events, wrong, refused, attached }: Reading): void {
    const what = `${JSON.stringify({ ...wish, body: wish.body && 'given' })} (${of}, attached ${attached} times)`;
    this.same(`${what}: wrong`, wrong, []);
    if (refused !== undefined) return this.refused(what, wish.body !== undefined, refused);
    const expected = this.expectedOf(wish.until, of, Math.floor(Number(wish.last ?? '0')));
    this.same(`${what}: ids`, [...events.keys()], expected);
    for (const [seq, data] of events)
      if (data !== this.stored.get(seq)) this.faults.push(`${what}: ${seq} is not the stored one: ${data}`);
  }

  /** Only who opens a segment is refused, and only for what was answered already. */
  private refused(what: string, opens: boolean, code: string): void {
    if (!opens || !['run_conflict', 'approval_conflict', 'resume_incomplete'].includes(code))
      this.faults.push(`${what}: refused with ${code}`);
  }

  private expectedOf(until: 'run' | 'segment', of: string, last: number): readonly number[] {
    const isWhole = of === 'run' || of === 'any';
    const first = isWhole ? last + 1 : this.firstOf(of);
    const end = until === 'run' ? this.stored.size : this.endOf(first);
    return [...this.stored.keys()].filter((seq) => seq >= first && seq <= end && seq > last);
  }

  private firstOf(name: string): number {
    const found = this.events.find(([, { type, runId }]) => type === 'RUN_STARTED' && runId === name);
    return found?.[0] ?? Number.NaN;
  }

  private endOf(first: number): number {
    return this.events.find(([seq, { type }]) => seq >= first && ENDS.has(type))?.[0] ?? this.stored.size;
  }

  private telling(telling: Telling): void {
    if (isBeside(telling.events[0]?.id ?? '')) return;
    if (!idsRise(telling)) this.faults.push(`ids of a chat do not rise: ${telling.events.map(({ id }) => id).join()}`);
    const told = wordsOfTelling(telling);
    const begins = Number(told[0]?.split(' ')[0]);
    const ends = this.events.flatMap(([seq, { type }]) => (ENDS.has(type) && seq >= begins ? [seq] : []));
    // A message that is told as a whole may end with any of its segments.
    const possible = (telling.what === 'segment' ? ends.slice(0, 1) : ends).map((end) =>
      wordsOfStored(this.stored, begins, end),
    );
    if (telling.what === 'whole' && begins !== 1) this.faults.push(`a whole message begins with ${begins}`);
    const fits = possible.some((words) =>
      telling.done ? words.join('\n') === told.join('\n') : words.slice(0, told.length).join('\n') === told.join('\n'),
    );
    if (!fits) this.faults.push(`a chat was told ${shown(told)}, stored is ${possible.map(shown).join(' or ')}`);
  }

  /** Each call is announced once, and has one result. */
  private results(): void {
    const of = (wanted: string): string[] =>
      this.events.flatMap(([, { type, toolCallId }]) => (type === wanted ? [String(toolCallId)] : [])).toSorted();
    const calls = of('TOOL_CALL_START');
    this.same('calls', calls, [...new Set(calls)]);
    this.same('results', of('TOOL_CALL_RESULT'), calls);
  }

  private async terminal(): Promise<string> {
    const { runId, cancelled } = this.played;
    const terminals = (await this.desk.get(AuditTrail).terminals({ runId })).items;
    const endings = terminals.map(({ status, source }) => `${status} ${source}`);
    if (endings.length !== 1) this.faults.push(`terminal records: ${endings.join(', ')}`);
    const [ending = ''] = endings;
    const [status = ''] = ending.split(' ');
    const last = this.events.at(-1)?.[1];
    const source = (last?.metadata?.gatehouse as { source?: string } | undefined)?.source ?? 'null';
    const outcome = last?.outcome?.type === 'success' ? 'completed' : last?.outcome?.type;
    this.same('the last event', `${outcome} ${source}`, ending);
    this.same('the run', await statusOf(this.desk, runId), status);
    const allowed = [
      'completed null',
      ...(cancelled ? ['cancelled requested'] : []),
      ...(this.onDisconnect === 'cancel' ? ['cancelled client disconnected'] : []),
    ];
    if (!allowed.includes(ending)) this.faults.push(`It ended as '${ending}', which nobody asked for.`);
    return ending;
  }

  private async approvals(ending: string): Promise<void> {
    const { runId, statuses } = this.played;
    const trail = this.desk.get(AuditTrail);
    const approvals = (await trail.approvals({ runId, limit: 100 })).items;
    const happened = (await trail.approvalEvents({ runId, limit: 500 })).items;
    const completed = ending === 'completed null';
    for (const { id, args, status, editedArgs } of approvals) {
      const count = (kind: string) => happened.filter((event) => event.approvalId === id && event.kind === kind).length;
      const { order } = args as { order: number };
      const done = this.desks.flatMap(({ tools }) => tools.done.filter((line) => line.startsWith(`refund ${order} `)));
      const claimed = count('claimed');
      this.same(`approval ${id}: requested, decided`, [count('requested'), count('decided')], [1, 1]);
      if (claimed > 1 || done.length > claimed)
        this.faults.push(`approval ${id}: ${claimed} claims, did ${done.join()}`);
      if (!completed) continue;
      const amount = editedArgs === undefined ? AMOUNT : EDITED;
      const expected = status === 'done' ? [`refund ${order} ${amount}`] : [];
      this.same(`approval ${id} (${status}) did`, done, expected);
      if (status !== 'done' && status !== 'denied') this.faults.push(`approval ${id} of a completed run is ${status}`);
      this.said(id, status === 'done', editedArgs !== undefined);
    }
    const odd = statuses.filter((status) => status !== 200 && status !== 409);
    this.same('answers to approvers', odd, []);
  }

  /** What stands was said by somebody. */
  private said(id: string, approved: boolean, edited: boolean): void {
    const stands = approved ? (edited ? 'edited' : 'yes') : 'no';
    const { decisions, protocol } = this.story;
    const words = decisions.flatMap(({ word, contrary }) => [
      word,
      ...(protocol === 'chat' && word === 'edited' ? ['yes'] : []),
      ...(contrary ? [word === 'no' ? 'yes' : 'no'] : []),
    ]);
    if (!words.includes(stands)) this.faults.push(`approval ${id}: nobody said ${stands}`);
  }

  private get desk(): Desk {
    const [desk] = this.desks;
    if (desk === undefined) throw new Error('There is no desk.');
    return desk;
  }

  private same(what: string, found: unknown, expected: unknown): void {
    const [one, other] = [JSON.stringify(found), JSON.stringify(expected)];
    if (one !== other) this.faults.push(`${what}: ${one}, expected ${other}`);
  }
}

const ENDS = new Set(['RUN_FINISHED', 'RUN_ERROR']);

const shown = (words: readonly string[]): string =>
  `[${words.map((word) => word.replaceAll(/x{10,}/g, 'x…')).join(' | ')}]`;
