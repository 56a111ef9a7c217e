import { ForbiddenException, Injectable } from '@nestjs/common';
import {
  ApprovalRequired,
  CallDeferred,
  DestructiveTool,
  RequireApproval,
  SkipToolExecution,
  ToolRetryError,
  type ToolMiddleware,
} from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { answerAll, readings } from './support/conversations.js';
import { playWrapped, PLACES, staged, toolLines, type StagedApp } from './support/staged.app.js';
import { Stage } from './support/staged.tools.js';

let app: StagedApp;
afterEach(() => app.close());

const ONE_DROP = [[call('drop', { n: 1 }, 'd1')], [says('done')]] as const;
const veto: ToolMiddleware['aroundTool'] = () => Promise.reject(new SkipToolExecution('not today'));

describe('a call that did not run has no record', () => {
  const vetoed = async (place: (typeof PLACES)[number], position?: 'innermost') => {
    const told = await playWrapped(place, veto, position === undefined ? {} : { position });
    ({ app } = told);
    expect(toolLines(app)).toEqual([]);
    expect(told.stage.ran).toEqual([]);
    expect(readings(told)).toEqual([['denied', 'not today']]);
  };

  it('[131] vetoed by middleware: the model gets the veto', () => vetoed('module-wide'));
  it('[132] vetoed by the innermost middleware of the module', () => vetoed('module-wide', 'innermost'));
  it('[133] vetoed by the innermost middleware of one run', () => vetoed('of one run', 'innermost'));

  it.each(PLACES)('[135] asked again before it: only the second attempt is recorded, %s', async (place) => {
    let asked = false;
    const told = await playWrapped(
      place,
      (_call, next) => {
        if (asked) return next();
        asked = true;
        throw new ToolRetryError('say it again');
      },
      { lines: [[call('lookup', { n: 1 })], [call('lookup', { n: 2 })], [says('done')]] },
    );
    ({ app } = told);
    expect(readings(told)).toEqual([['retry', 'say it again']]);
    expect(toolLines(app)).toEqual([['lookup', '{"n":2}', true, null, 5]]);
  });

  it.each(PLACES)('[136] refused before it: the run ends with the refusal, %s', async (place) => {
    const refusal = new ForbiddenException('no');
    const told = await playWrapped(place, () => Promise.reject(refusal));
    ({ app } = told);
    expect(told.outcome).toEqual({ status: 'failed', stage: 'denial', error: refusal });
    expect(toolLines(app)).toEqual([]);
  });

  it('[137] held by the gate: an approval is pending', async () => {
    app = await staged();
    const { outcome, handle } = await app.play(ONE_DROP);
    expect(outcome).toMatchObject({ status: 'suspended', approvals: [{ toolName: 'drop', status: 'pending' }] });
    expect((await app.approvals.list({ runId: handle.runId, status: 'pending' })).items).toHaveLength(1);
    expect(toolLines(app)).toEqual([]);
  });

  it('[138] held, approved and resumed: it has one', async () => {
    app = await staged();
    const { handle } = await app.play(ONE_DROP);
    await answerAll(app, handle.runId, true);
    expect(toolLines(app)).toEqual([['drop', '{"n":1}', true, null, 7]]);
  });

  it('[139] held and denied: none, and the model reads a denial', async () => {
    app = await staged();
    const told = await app.play(ONE_DROP);
    await answerAll(app, told.handle.runId, false);
    expect(toolLines(app)).toEqual([]);
    expect(readings(told)).toEqual([['denied', 'The tool call was denied.']]);
  });

  it('[140] held because its whole class requires an approval: the same', async () => {
    @Injectable()
    @RequireApproval()
    class Vault {
      @DestructiveTool('Open the vault')
      open() {
        return 'opened';
      }
    }
    app = await staged({}, { providers: [Vault] });
    const { handle, outcome } = await app.play([[call('open')], [says('done')]]);
    expect(outcome).toMatchObject({ status: 'suspended', approvals: [{ toolName: 'open' }] });
    expect(toolLines(app)).toEqual([]);
    await answerAll(app, handle.runId, true);
    expect(toolLines(app)).toEqual([['open', '{}', true, null, 6]]);
  });

  it('[141] a tool that asks for an approval itself: none until it is given, then one', async () => {
    app = await staged({
      lookup: (_args, { approval }) => {
        if (approval === undefined) throw new ApprovalRequired();
        return 'found';
      },
    });
    const { handle, outcome } = await app.play([[call('lookup', { n: 3 })], [says('done')]]);
    expect(outcome).toMatchObject({ status: 'suspended', approvals: [{ toolName: 'lookup', args: { n: 3 } }] });
    expect(toolLines(app)).toEqual([]);
    await answerAll(app, handle.runId, true);
    expect(app.module.get(Stage).ran).toEqual(['lookup {"n":3}', 'lookup {"n":3}']);
    expect(toolLines(app)).toEqual([['lookup', '{"n":3}', true, null, 5]]);
  });

  it('[142] a tool that hands its call to somebody else: the call is listed, the run waits for its result, and there is none', async () => {
    app = await staged({
      lookup: () => {
        throw new CallDeferred({ ticket: 'T-1' });
      },
    });
    const told = await app.play([[call('lookup', { n: 3 }, 'l1')], [says('done')]]);
    const { runId } = told.handle;
    expect(told.outcome).toMatchObject({
      status: 'suspended',
      approvals: [],
      deferred: [{ runId, toolCallId: 'l1', toolName: 'lookup', args: { n: 3 }, metadata: { ticket: 'T-1' } }],
    });
    expect(await app.statuses(runId)).toEqual([]);
    expect((await app.answered(runId, [{ toolCallId: 'l1', value: 'found elsewhere' }])).outcome).toMatchObject({
      status: 'completed',
    });
    expect(readings(told)).toEqual([['success', 'found elsewhere']]);
    expect(await app.operations(runId)).toMatchObject([
      { toolName: 'lookup', status: 'deferred', outcome: 'success', decidedBy: 'external', executionStarted: false },
    ]);
    expect(app.module.get(Stage).ran).toEqual(['lookup {"n":3}']);
    expect(toolLines(app)).toEqual([]);
  });

  it('[152] denied with a reason: one decision, by a person, and no execution', async () => {
    app = await staged();
    const told = await app.play(ONE_DROP);
    await answerAll(app, told.handle.runId, false, 'keep it');
    const { items } = await app.trail.operations({ runId: told.handle.runId });
    expect(
      items.map(({ status, decidedBy, reason, executionStarted }) => [status, decidedBy, reason, executionStarted]),
    ).toEqual([['denied', 'person', 'keep it', false]]);
    expect(readings(told)).toEqual([['denied', 'keep it']]);
    expect(toolLines(app)).toEqual([]);
  });
});
