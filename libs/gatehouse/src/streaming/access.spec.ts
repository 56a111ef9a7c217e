import { Logger } from '@nestjs/common';

import { AccessPolicy, type AccessAction, type AccessResource } from '../contracts/ports/access.policy.js';
import type { StoredRun } from '../contracts/ports/stored.run.js';
import type { Principal } from '../contracts/principal.js';
import { Access } from './access.js';

class Policy extends AccessPolicy {
  readonly asked: [AccessAction, AccessResource][] = [];
  constructor(private readonly answer: () => unknown) {
    super();
  }
  override can(_principal: Principal, action: AccessAction, resource: AccessResource): boolean {
    this.asked.push([action, resource]);
    return this.answer() as boolean;
  }
}

const run = (principalId: string | undefined, organizationId?: string) =>
  ({
    id: 'r',
    threadId: 't',
    agent: 'support',
    user: principalId === undefined ? undefined : { id: principalId },
    organizationId,
  }) as StoredRun;

describe('Access', () => {
  beforeAll(() => void Logger.overrideLogger(false));

  it('an owner is not asked about', async () => {
    const policy = new Policy(() => false);
    expect(await new Access(policy).run({ id: 'ann', organizationId: 'o' }, 'run.read', run('ann', 'o'))).toBe(true);
    expect(policy.asked).toEqual([]);
  });

  it.each([
    ['another person', run('bob', 'o')],
    ['the same id in another organization', run('ann', 'p')],
    ['the same id in no organization', run('ann')],
    ['a run of nobody', run(undefined, 'o')],
  ])('[364] %s needs the policy', async (_what, stored) => {
    const policy = new Policy(() => false);
    expect(await new Access(policy).run({ id: 'ann', organizationId: 'o' }, 'run.cancel', stored)).toBe(false);
    expect(policy.asked.map(([action]) => action)).toEqual(['run.cancel']);
  });

  it('tells the policy what it is about', async () => {
    const policy = new Policy(() => true);
    expect(await new Access(policy).run({ id: 'ann' }, 'run.read', run('bob', 'o'))).toBe(true);
    expect(policy.asked).toEqual([
      ['run.read', { runId: 'r', threadId: 't', agent: 'support', principalId: 'bob', organizationId: 'o' }],
    ]);
  });

  it.each([
    [
      'a throw',
      () => {
        throw new Error('ldap is down');
      },
    ],
    ['a rejection', () => Promise.reject(new Error('ldap is down'))],
    ['nothing', () => undefined],
    ['a truthy value', () => 'yes'],
    ['a promise of no', () => Promise.resolve(false)],
  ])('%s is a no', async (_what, answer) => {
    expect(await new Access(new Policy(answer)).allows({ id: 'ann' }, 'audit.read', {})).toBe(false);
  });
});
