import type { GovernedApp, Told } from '../../support/governed/governed.app.js';

/** Answers everything a run waits for, and plays it on. */
export async function answerAll(app: GovernedApp, runId: string, approved: boolean, reason?: string) {
  const { items } = await app.approvals.list({ runId, status: 'pending' });
  const decisions = items.map(({ id }) => ({ approvalId: id, approved, ...(reason === undefined ? {} : { reason }) }));
  return app.resumed(runId, decisions);
}

/** Outcome and text of each result of one response. */
export const readings = ({ script }: Pick<Told, 'script'>, response = 0): readonly (readonly [string, string])[] =>
  (script.results[response] ?? []).map(({ outcome, content }) => [outcome, content]);

/** A promise somebody else settles. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
