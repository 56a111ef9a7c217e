import {
  Hook,
  LoopDetector,
  StallDetector,
  WatchdogHook,
  type Detection,
  type Detector,
  type WatchdogPolicy,
} from 'nest-gatehouse';
import { call, captureLog, says } from 'nest-gatehouse/testing';
import { ANN } from '../support/governed/governed.app.js';
import { ErrandApp } from './support/errand.app.js';
import { HandClock } from './support/hand.clock.js';

let desk: ErrandApp;
let log: ReturnType<typeof captureLog>;
const start = async (detectors: Detector[], policy?: WatchdogPolicy) => {
  const watchdog = { provide: WatchdogHook, useFactory: () => new WatchdogHook({ detectors, policy }) };
  desk = await ErrandApp.start([watchdog]);
  log = captureLog();
};
afterEach(async () => {
  log.release();
  await desk.app.close();
});
const fetch = (n: number) => [call('fetch', { n })];

describe('a watchdog in a run', () => {
  it('[323] [325] a model that goes round in circles is stopped before the call that is one too many', async () => {
    await start([new LoopDetector({ repeats: 2 })]);
    const { outcome, handle } = await desk.app.play([fetch(1), fetch(1), fetch(1), [says('never')]]);
    expect(outcome).toMatchObject({
      status: 'aborted',
      error: {
        reason: "loop: Tool 'fetch' was called 3 times with the same arguments in the last 3 calls.",
        sourceHook: 'WatchdogHook',
      },
    });
    expect(await desk.app.statuses(handle.runId)).toEqual(['fetch completed', 'fetch completed', 'fetch aborted']);
    expect(desk.errands.ran).toEqual(['fetch 1', 'fetch 1']);
  });

  it('[325] runs are watched each for itself', async () => {
    await start([new LoopDetector({ repeats: 2 })]);
    const once = () => desk.app.play([fetch(1), fetch(1), [says('done')]]);
    const told = await Promise.all([once(), once(), once()]);
    expect(told.map(({ outcome }) => outcome.status)).toEqual(['completed', 'completed', 'completed']);
  });

  it('[325] a call that waited for a person is one call, although hooks are asked again', async () => {
    await start([new LoopDetector({ repeats: 1 })]);
    const { handle, outcome } = await desk.app.play([[call('send', { n: 1 })], [says('done')]]);
    if (outcome.status !== 'suspended') throw new Error(outcome.status);
    const decisions = outcome.approvals.map(({ id, argumentsDigest }) => ({
      approvalId: id,
      argumentsDigest,
      approved: true,
    }));
    const resumed = await desk.app.resumed(handle.runId, decisions, ANN);
    expect(resumed.outcome.status).toBe('completed');
    expect(desk.errands.ran).toEqual(['send 1']);
  });

  it('[323] escalate: the call does not run, and the model reads the question', async () => {
    await start([new LoopDetector({ repeats: 1 })], () => ({ kind: 'escalate', question: 'Shall I go on?' }));
    const { script, handle } = await desk.app.play([fetch(1), fetch(1), [says('Shall I go on?')]]);
    expect(script.results[1]?.[0]).toMatchObject({
      status: 'stubbed',
      content: '{"escalated":"loop","question":"Shall I go on?"}',
    });
    expect(await desk.app.statuses(handle.runId)).toEqual(['fetch completed', 'fetch stubbed']);
    expect(desk.errands.ran).toEqual(['fetch 1']);
  });

  const crashing: Detector = {
    name: 'crashing',
    observe: () => undefined,
    peek: () => undefined,
    take: () => {
      throw new Error('oops');
    },
  };

  it('[324] a crash costs the run nothing but a WARN', async () => {
    await start([crashing]);
    const { outcome } = await desk.app.play([fetch(1), [says('done')]]);
    expect(outcome.status).toBe('completed');
    expect(desk.errands.ran).toEqual(['fetch 1']);
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      "warn Hook WatchdogHook.beforeTool failed: Error: oops (tool 'fetch'). Read as Continue.",
    ]);
  });

  it('[324] unless its class fails closed: then the run ends, and nothing runs', async () => {
    @Hook({ failClosed: true })
    class Strict extends WatchdogHook {}
    await start([]);
    const hooks = [new Strict({ detectors: [crashing] })];
    const { outcome } = await desk.app.play([fetch(1), [says('never')]], { hooks });
    expect(outcome).toMatchObject({ status: 'failed', error: { inspector: 'Strict' } });
    expect(desk.errands.ran).toEqual([]);
  });

  it('[327] a stall is seen by a poll while the tool runs, and reaches the hook at the next call, once', async () => {
    const clock = new HandClock();
    const detector = new StallDetector({ after: '30s', clock });
    const reached: Detection[] = [];
    await start([detector], (detection) => {
      reached.push(detection);
      return { kind: 'continue' };
    });
    const polled: unknown[] = [];
    const runId = '01990000-0000-7000-8000-000000000327';
    desk.errands.during = (n) => {
      if (n !== 1) return;
      clock.advance(30_001);
      polled.push(detector.peek(runId)?.summary, detector.peek(runId)?.summary, detector.peek('another')?.summary);
    };
    await desk.app.play([fetch(1), fetch(2), fetch(3), [says('done')]], { runId });
    const summary = "Tool 'fetch' had come to nothing after 30001 ms; 30000 ms are allowed.";
    expect(polled).toEqual([summary, summary, undefined]);
    expect(reached.map((detection) => detection.summary)).toEqual([summary]);
  });

  it('[327] calls that waited for a person for an hour are no stall', async () => {
    const clock = new HandClock();
    await start([new StallDetector({ after: '30s', clock })]);
    const { handle, outcome } = await desk.app.play([
      [call('send', { n: 1 }), call('send', { n: 2 })],
      () => (clock.advance(60_000), fetch(1)),
      [says('done')],
    ]);
    if (outcome.status !== 'suspended') throw new Error(outcome.status);
    clock.advance(3_600_000);
    const decisions = outcome.approvals.map(({ id, argumentsDigest }) => ({
      approvalId: id,
      argumentsDigest,
      approved: true,
    }));
    expect((await desk.app.resumed(handle.runId, decisions, ANN)).outcome.status).toBe('completed');
    expect(desk.errands.ran).toEqual(['send 1', 'send 2', 'fetch 1']);
  });
});
