/** What a check came to. `warning`: it works, but somebody should know. */
export type Verdict = 'ok' | 'warning' | 'problem';

/** One thing the doctor looked at. */
export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  /** What was found, and what to do about it. */
  readonly detail: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, verdict: 'ok', detail });
export const warning = (check: string, detail: string): Finding => ({ check, verdict: 'warning', detail });
export const problem = (check: string, detail: string): Finding => ({ check, verdict: 'problem', detail });
