/**
 * The shape in which a run's working state is stored: steps, state, counters, limits, messages. It grows where an older Gatehouse would misread
 * what a newer one writes; a member that may be ignored needs no new version. With a new version comes an upgrade of the one before it
 * (`checkpoint.upgrades.ts`), and a golden run in `test/runs/checkpoints`.
 */
export const CHECKPOINT_VERSION = 1;
