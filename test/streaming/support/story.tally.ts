import type { Fault } from './faulty.proxy.js';
import type { FaultStory } from './fault.story.js';
import type { Played } from './story.player.js';

/** How much of everything a round has played. */
export class StoryTally {
  runs = 0;
  readonly faults: Record<Fault['kind'], number> = { cut: 0, stall: 0, 'client gone': 0, 'server gone': 0 };
  private readonly counts = {
    'runs that waited': 0,
    'AG-UI answers by resume': 0,
    'decisions in an inbox': 0,
    'segments behind the first': 0,
    chats: 0,
    'chats told again': 0,
    'cancel requests': 0,
    readings: 0,
    attached: 0,
    'segments behind an id': 0,
  };
  private readonly endings: Record<string, number> = {};

  lines(happened: Readonly<Record<Fault['kind'], number>>): void {
    for (const kind of Object.keys(this.faults) as Fault['kind'][]) this.faults[kind] += happened[kind];
  }

  story(story: FaultStory, { segments, readings, tellings, statuses, cancelled }: Played, ending: string): void {
    const { counts } = this;
    const resumed = readings.filter(({ wish }) => wish.body !== undefined && 'resume' in wish.body);
    this.runs += 1;
    counts['runs that waited'] += segments > 1 ? 1 : 0;
    counts['AG-UI answers by resume'] += resumed.length;
    counts['segments behind the first'] += segments - 1;
    counts['decisions in an inbox'] += statuses.length;
    counts.chats += story.protocol === 'chat' ? 1 : 0;
    counts['chats told again'] += tellings.filter(({ what }) => what === 'whole').length;
    counts['cancel requests'] += cancelled ? 1 : 0;
    counts.readings += readings.length;
    counts.attached += readings.reduce((sum, { attached }) => sum + attached, 0);
    counts['segments behind an id'] += readings.filter(
      ({ wish: { of, last } }) => of !== 'run' && last !== undefined,
    ).length;
    this.endings[ending] = (this.endings[ending] ?? 0) + 1;
  }

  /** What never happened, and how no run ended that should have. */
  missing(onDisconnect: 'continue' | 'cancel'): readonly string[] {
    const wanted = ['completed null', ...(onDisconnect === 'cancel' ? ['cancelled client disconnected'] : [])];
    return [
      ...Object.entries(this.counts).flatMap(([what, count]) => (count === 0 ? [what] : [])),
      ...wanted.filter((ending) => this.endings[ending] === undefined),
    ];
  }

  toString(): string {
    return JSON.stringify({ runs: this.runs, ...this.counts, ...this.faults, ...this.endings });
  }
}
