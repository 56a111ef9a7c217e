import type { TimelineEntry, TimelineKind } from '../../contracts/ports/evidence.store.js';

/** Whose detail may be a text of code below ours: an error of a driver or a tool, secrets and all. */
const INTERNAL: ReadonlySet<TimelineKind> = new Set<TimelineKind>(['operation', 'execution', 'run.terminal']);

/** A timeline as whoever may read its run sees it. To own a run opens no audit: what failed is told, and not how. */
export const timelineView = (entries: readonly TimelineEntry[], audits: boolean): readonly TimelineEntry[] =>
  audits ? entries : entries.map((entry) => (INTERNAL.has(entry.kind) ? { ...entry, detail: null } : entry));
