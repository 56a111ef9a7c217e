import type { Performance } from './performance.js';

const SECRETS = /canary-(argument|result)/;
/** The words of drivers and hosts: for the operator's copy, never for a model or a client. */
const DRIVER = /canary-driver|hunter2|postgres:/;

/** What stands under a secret name is nowhere but in the working state; what a driver says reaches neither model nor client. */
export const nothingLeaks = ({ events, requests, executions, rows, terminals, outcome }: Performance): void => {
  // A model's own words stay in its own history; what it is told in return does not repeat them.
  const told = JSON.stringify(requests.flat().filter(({ role }) => role === 'tool'));
  const shown = JSON.stringify(events);
  const waits = outcome.status === 'suspended' ? [outcome.approvals, outcome.deferred] : [];
  const evidence = JSON.stringify([executions, rows, terminals, waits]);
  for (const text of [told, shown, evidence]) expect(text).not.toMatch(SECRETS);
  for (const text of [told, shown]) expect(text).not.toMatch(DRIVER);
};
