import type { Awaitable } from '../../contracts/awaitable.js';
import type { HookCall } from '../../contracts/roles.js';
import type { Detection } from './detection.js';

/** What to do about a detection. */
export type WatchdogAction =
  /** Let the call run. */
  | { readonly kind: 'continue' }
  /** End the run. */
  | { readonly kind: 'abort'; readonly reason: string }
  /** Do not run the call; its result is the question, for the model to put to the user. */
  | { readonly kind: 'escalate'; readonly question: string };

/** Maps a detection to an action. Nothing means continue. */
export type WatchdogPolicy = (detection: Detection, call: HookCall) => Awaitable<WatchdogAction | undefined>;

/** The default: whatever is detected ends the run. */
export const abortOnDetection: WatchdogPolicy = ({ detector, summary }) => ({
  kind: 'abort',
  reason: `${detector}: ${summary}`,
});
