import { call, says } from 'nest-gatehouse/testing';

import type { Desk } from './desk.app.js';
import { Gate } from './gate.js';
import type { Line } from './lines.js';
import { holding } from './store.js';

/** What becomes of a run whose client leaves in this phase: where leaving cancels, and where it does not. */
export interface Fate {
  /** Absent: nothing was started. */
  readonly cancel?: string;
  readonly continue?: string;
}

/** A moment in which a client leaves. */
export interface Phase {
  readonly name: string;
  readonly fate: Fate;
  /** Gets a client there; the returned function lets what waits go on. */
  reach(desk: Desk, line: () => Promise<Line>): Promise<{ readonly line: Line; readonly goOn: () => void }>;
}

const CANCELLED: Fate = { cancel: 'cancelled client disconnected', continue: 'completed null' };

const speaking = (gate: Gate) => async (run: { emit: (event: never) => void; signal: AbortSignal }) => {
  const emit = run.emit.bind(run) as (event: object) => void;
  emit({ type: 'text.start', messageId: 'm' });
  emit({ type: 'text.delta', messageId: 'm', delta: 'partial answer' });
  await gate.pass(run.signal);
  emit({ type: 'text.end', messageId: 'm' });
  return [says('done')];
};

/** What a request passes before its handler is called, and what may take its time there. */
interface Threshold {
  before: () => Promise<void>;
}

/** Before the handler was called: nothing is started, whatever leaving means. */
const beforeTheHandler = (name: string, thresholdOf: (desk: Desk) => Threshold): Phase => ({
  name,
  fate: {},
  async reach(desk, open) {
    const gate = new Gate();
    const threshold = thresholdOf(desk);
    const { before } = threshold;
    threshold.before = () => gate.pass();
    desk.play([[says('never')]]);
    const line = await open();
    await gate.reached();
    return { line, goOn: () => ((threshold.before = before), gate.open()) };
  },
});

/** Only where there is such an interceptor. */
export const whileIntercepted = (interceptor: Threshold): Phase =>
  beforeTheHandler('while an interceptor waits', () => interceptor);

export const PHASES: readonly Phase[] = [
  beforeTheHandler('during a guard', ({ guard }) => guard),
  {
    name: 'before the first event (nestjs/nest#17017, #17128, #17352)',
    fate: CANCELLED,
    async reach(desk, open) {
      const { gate, release } = holding(desk, 'startRun');
      const slowly = new Gate();
      desk.play([speaking(slowly)]);
      const line = await open();
      await gate.reached();
      return { line, goOn: () => (release(), slowly.open()) };
    },
  },
  {
    name: 'mid-text',
    fate: CANCELLED,
    async reach(desk, open) {
      const gate = new Gate();
      desk.play([speaking(gate)]);
      const line = await open();
      await line.hears('text');
      return { line, goOn: () => gate.open() };
    },
  },
  {
    name: 'mid-tool',
    fate: CANCELLED,
    async reach(desk, open) {
      const slowly = desk.tools.hold();
      desk.play([[call('slow', { order: 1 })], [says('done')]]);
      const line = await open();
      await line.hears('call');
      await slowly.reached();
      return { line, goOn: () => slowly.open() };
    },
  },
  {
    name: 'between steps',
    fate: CANCELLED,
    async reach(desk, open) {
      const gate = new Gate();
      desk.play([[call('lookup', { order: 1 })], async (run) => (await gate.pass(run.signal), [says('done')])]);
      const line = await open();
      await line.hears('result');
      return { line, goOn: () => gate.open() };
    },
  },
  {
    name: 'while an approval is stored',
    fate: { cancel: 'cancelled client disconnected', continue: 'suspended' },
    async reach(desk, open) {
      const { gate, release } = holding(desk, 'requestApproval');
      desk.play([[call('refund', { order: 1 })], [says('never')]]);
      const line = await open();
      await line.hears('started');
      await gate.reached();
      return { line, goOn: release };
    },
  },
  {
    name: 'after the last event',
    fate: { cancel: 'completed null', continue: 'completed null' },
    async reach(desk, open) {
      desk.play([[says('done')]]);
      const line = await open();
      await line.hears('finished');
      return { line, goOn: () => undefined };
    },
  },
];
