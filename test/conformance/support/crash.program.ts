// A process of its own that is lost at the point it is told: `before <write>`, `after <write>`, or `in body`.
import { setTimeout as pause } from 'node:timers/promises';

import { ANN } from '../../support/governed/governed.app.js';
import { actorOn, die, Effects } from './crash.app.js';
import { inside } from './inside.js';

const { CRASH_URL: url = '', CRASH_POINT: point = '', CRASH_PAUSE: waits = '0', CRASH_RUN: runId } = process.env;
const app = await actorOn(url);
const [when, write = ''] = point.split(' ');

const lost = async (): Promise<never> => {
  await pause(Number(waits));
  return die();
};

if (write === 'body') {
  app.module.get(Effects).after = lost;
} else {
  const store = inside<Record<string, (...args: unknown[]) => Promise<unknown>>>(app.module, 'RunStore');
  const original = store[write];
  if (original === undefined) throw new Error(`The store writes no '${write}'.`);
  store[write] = async (...args) => {
    if (when === 'after') await original.apply(store, args);
    return lost();
  };
}

if (runId === undefined) {
  await app.runner.start({ agent: 'actor', input: 'go', user: ANN }).outcome;
} else {
  const [approval] = (await app.approvals.list({ runId })).items;
  await app.runner.resume({ runId, user: ANN, decisions: [{ approvalId: approval?.id ?? '', approved: true }] })
    .outcome;
}
throw new Error(`This process came through: it never reached '${point}'.`);
