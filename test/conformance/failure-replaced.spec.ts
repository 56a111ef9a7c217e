import { ForbiddenException, Injectable, UseGuards } from '@nestjs/common';
import { Tool, ToolFailurePolicy } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { readings } from './support/conversations.js';
import { staged, type StagedApp } from './support/staged.app.js';

let app: StagedApp;
afterEach(() => app.close());

/** A policy of the application's own; a test says what it does. */
const policy = (toResult: ToolFailurePolicy['toResult'], endsRun: ToolFailurePolicy['endsRun'] = () => false) => ({
  provide: ToolFailurePolicy,
  useValue: { toResult, endsRun } satisfies ToolFailurePolicy,
});

const ONE_BOOM = [[call('boom', { n: 0 }, 'b1'), call('lookup', { n: 1 })], [says('done')]] as const;

describe('a failure policy of the application', () => {
  it('says what the model reads, and nothing of ours is logged', async () => {
    app = await staged({}, { providers: [policy((_error, { toolName }) => `${toolName} is closed today`)] });
    const told = await app.play(ONE_BOOM);
    expect(readings(told)).toEqual([
      ['failed', 'boom is closed today'],
      ['success', 'found'],
    ]);
    expect(app.logged('gatehouse.failure')).toEqual([]);
  });

  it('ends the run with the very object it rethrows: the call has failed, and its later siblings are skipped', async () => {
    app = await staged(
      {},
      {
        providers: [
          policy((error) => {
            throw error;
          }),
        ],
        options: { limits: { parallelToolCalls: 1 } },
      },
    );
    const { outcome, handle } = await app.play(ONE_BOOM);
    expect(outcome).toMatchObject({
      status: 'failed',
      stage: 'executor',
      error: { name: 'ValueError', message: 'kaboom' },
    });
    expect(await app.statuses(handle.runId)).toEqual(['boom failed', 'lookup skipped by boom']);
  });

  it('that fails itself ends the run with what it threw; the record of the call keeps what the tool threw', async () => {
    const broken = new TypeError('no such template');
    app = await staged(
      {},
      {
        providers: [
          policy(() => {
            throw broken;
          }),
        ],
      },
    );
    const { outcome, handle } = await app.play([[call('boom', { n: 0 })], [says('done')]]);
    expect(outcome.status === 'failed' && outcome.error).toBe(broken);
    expect(await app.operations(handle.runId)).toMatchObject([{ status: 'failed', error: 'ValueError: kaboom' }]);
  });

  it('that cannot say whether a denial ends the run lets nobody go on', async () => {
    const refusal = new ForbiddenException('staff only');
    @Injectable()
    class Closed {
      @Tool('Is closed')
      @UseGuards({
        canActivate: () => {
          throw refusal;
        },
      })
      enter() {
        return 'in';
      }
    }
    const unsure = policy(
      () => 'text',
      () => {
        throw new TypeError('unsure');
      },
    );
    app = await staged({}, { providers: [Closed, unsure] });
    const { outcome, handle } = await app.play([[call('enter')], [says('done')]]);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'denial' });
    expect(outcome.status === 'failed' && outcome.error).toBe(refusal);
    expect(await app.statuses(handle.runId)).toEqual(['enter denied']);
  });
});
