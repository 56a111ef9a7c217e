import type { RunEvent } from '../contracts/run.events.js';
import { OpenSpans } from './open.spans.js';

/** What is said of these, and the closings at the end. */
const said = (...events: readonly RunEvent[]): readonly RunEvent[] => {
  const spans = new OpenSpans();
  const told: RunEvent[] = [];
  for (const event of events) {
    for (const fitting of spans.fitted(event)) {
      spans.note(fitting);
      told.push(fitting);
    }
  }
  return [...told, ...spans.closings()];
};

const start: RunEvent = { type: 'text.start', messageId: 'm' };
const delta: RunEvent = { type: 'text.delta', messageId: 'm', delta: 'hi' };
const end: RunEvent = { type: 'text.end', messageId: 'm' };

describe('what an executor says', () => {
  it('in order stays as it is, also where a text goes on after its end', () => {
    const orderly = [start, delta, end, start, delta, end];
    expect(said(...orderly)).toEqual(orderly);
  });

  it('without a start gets one; a second start, a second end and an empty piece are nothing', () => {
    expect(said({ ...delta, delta: '' }, delta, start, delta, end, end)).toEqual([start, delta, delta, end]);
    const reasoning: RunEvent = { type: 'reasoning.delta', messageId: 'm', delta: 'hm' };
    expect(said(reasoning, { type: 'reasoning.end', messageId: 'other' })).toEqual([
      { type: 'reasoning.start', messageId: 'm' },
      reasoning,
      { type: 'reasoning.end', messageId: 'm' },
    ]);
  });

  it('and what was begun is closed at the end: child runs, texts, calls, steps', () => {
    const begun: readonly RunEvent[] = [
      { type: 'step.started', step: 1 },
      { type: 'child.started', runId: 'c', agent: 'other', operationId: 'o' },
      { type: 'child.finished', runId: 'unknown', status: 'completed' },
      start,
    ];
    expect(said(...begun).slice(3)).toEqual([
      { type: 'child.finished', runId: 'c', status: 'running' },
      end,
      { type: 'step.finished', step: 1 },
    ]);
  });
});
