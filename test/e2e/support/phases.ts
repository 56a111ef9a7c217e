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

export const PHASES: readonly Phase[] = [
  {
    name: 'during a guard',
    fate: {},
    async reach(desk, open) {
      const gate = new Gate();
      const { before } = desk.guard;
      desk.guard.before = () => gate.pass();
      desk.play([[says('never')]]);
      const line = await open();
      await gate.reached();
      return { line, goOn: () => ((desk.guard.before = before), gate.open()) };
    },
  },
  {
    name: 'before the first event',
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
      await line.heard.type('TEXT_MESSAGE_CONTENT');
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
      await line.heard.type('TOOL_CALL_END');
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
      await line.heard.type('TOOL_CALL_RESULT');
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
      await line.heard.type('RUN_STARTED');
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
      await line.heard.type('RUN_FINISHED');
      return { line, goOn: () => undefined };
    },
  },
];
