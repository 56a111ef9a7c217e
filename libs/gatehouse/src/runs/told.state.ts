import type { JsonValue } from '../contracts/json.js';
import type { RunEvent } from '../contracts/run.events.js';
import type { Redactor } from '../values/redactor.js';
import { patchBetween } from '../values/state.patch.js';

/** What the readers of one segment know of the run's state. A client may hold anything when a segment begins: the first word is the whole. */
export class ToldState {
  private told: JsonValue | undefined;

  constructor(
    private readonly state: Readonly<Record<string, JsonValue>>,
    private readonly redactor: Redactor,
  ) {}

  /** What they must hear now, as it may be shown; nothing where nothing has changed. */
  news(): RunEvent | undefined {
    if (this.told === undefined && Object.keys(this.state).length === 0) return undefined;
    const before = this.told;
    const shown = this.redactor.redact(this.state);
    const patch = before === undefined ? undefined : patchBetween(before, shown);
    if (patch?.length === 0) return undefined;
    this.told = shown;
    return patch === undefined ? { type: 'state.snapshot', state: shown } : { type: 'state.delta', patch };
  }
}
