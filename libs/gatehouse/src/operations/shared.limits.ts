import type { RunLimits } from '../contracts/limits.js';
import { LimitExceededError } from '../contracts/errors/limit-exceeded.error.js';
import type { SharedUse } from '../contracts/ports/stored.run.js';

type Shared = keyof SharedUse;

const NOTHING: SharedUse = Object.freeze({ steps: 0, toolCalls: 0, tokens: 0 });

/** The limits that a run shares with the runs below it: what one uses, nobody else in the tree has. */
export class SharedLimits {
  private own: SharedUse = NOTHING;
  private children: SharedUse;

  constructor(
    private readonly limits: Pick<RunLimits, Shared>,
    private readonly above?: SharedLimits,
    { own = NOTHING, below = NOTHING }: { readonly own?: SharedUse; readonly below?: SharedUse } = {},
  ) {
    this.own = own;
    this.children = below;
  }

  /** What the runs below have used. */
  get below(): SharedUse | undefined {
    return this.children === NOTHING ? undefined : this.children;
  }

  use(what: Shared, amount = 1): void {
    this.own = { ...this.own, [what]: this.own[what] + amount };
    this.above?.usedBelow(what, amount);
  }

  /** Why nothing more may be used, here or above. */
  full(what: Shared): LimitExceededError | undefined {
    return this.reached(what, (used, allowed) => used >= allowed);
  }

  /** Why too much was used: for what is only counted afterwards. */
  exceeded(what: Shared): LimitExceededError | undefined {
    return this.reached(what, (used, allowed) => used > allowed);
  }

  private usedBelow(what: Shared, amount: number): void {
    this.children = { ...this.children, [what]: this.children[what] + amount };
    this.above?.usedBelow(what, amount);
  }

  private reached(what: Shared, isReached: (used: number, allowed: number) => boolean): LimitExceededError | undefined {
    const allowed = this.limits[what];
    if (allowed !== undefined && isReached(this.own[what] + this.children[what], allowed)) {
      return new LimitExceededError(what, allowed);
    }
    return this.above?.reached(what, isReached);
  }
}
