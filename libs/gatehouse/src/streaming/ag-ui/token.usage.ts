import type { TokenUsage } from '@ag-ui/core';

import type { SegmentUsage } from '../../contracts/usage.js';

/** AG-UI counts what this segment has used, runs below it included; of those we know the sum only. */
export function tokenUsage(usage: SegmentUsage | undefined): { usage?: TokenUsage[] } {
  if (usage === undefined) return {};
  const { inputTokens, outputTokens, childTokens } = usage;
  const own = { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
  return { usage: [own, ...(childTokens > 0 ? [{ totalTokens: childTokens }] : [])] };
}
