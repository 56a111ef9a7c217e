import type { RunCounters, SharedUse } from '../contracts/ports/stored.run.js';
import type { RunUsage, SegmentUsage } from '../contracts/usage.js';

/** What was used since these counters were stored, as an end tells it; nothing where no model that counts tokens was asked at all. */
export function usageOfSegment(
  before: RunCounters,
  run: RunUsage,
  below: SharedUse | undefined,
): { readonly usage?: SegmentUsage } {
  const childTokens = (below?.tokens ?? 0) - (before.below?.tokens ?? 0);
  if (run.inputTokens + run.outputTokens + childTokens === 0) return {};
  const usage = {
    inputTokens: run.inputTokens - before.usage.inputTokens,
    outputTokens: run.outputTokens - before.usage.outputTokens,
    childTokens,
    run,
  };
  return { usage: Object.freeze(usage) };
}
