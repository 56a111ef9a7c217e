import { getEventListeners } from 'node:events';
import { call, says, ScriptedModel } from 'nest-gatehouse/testing';
import { notingComplaints } from '../support/complaints.js';
import { agentOn } from './support/agents.js';
import { finish, PartModel, text } from './support/part.model.js';
import { RecordedRun } from './support/recorded.run.js';
import { refusal } from './support/refusal.js';

describe('a cancelled run', () => {
  it('throws the reason itself and closes its text, even where the model never answers again', async () => {
    const cancel = new AbortController();
    const reason = new Error('client disconnected');
    const run = new RecordedRun({
      signal: cancel.signal,
      onEvent: (event) => {
        if (event.type === 'text.delta') cancel.abort(reason);
      },
    });
    expect(await refusal(agentOn(new PartModel(text('One'), 'v3', true)).execute(run))).toBe(reason);
    expect(run.told).toEqual(['text.start #1', 'text.delta #1 One', 'text.end #1']);
    expect(run.batches).toEqual([]);
    expect(getEventListeners(cancel.signal, 'abort')).toEqual([]);
  });

  it('does not ask the model when it was cancelled before', async () => {
    const reason = new Error('gone');
    const model = new PartModel([finish('stop')]);
    const run = new RecordedRun({ signal: AbortSignal.abort(reason) });
    expect(await refusal(agentOn(model).execute(run))).toBe(reason);
    expect(model.asked).toBe(0);
  });

  it('leaves no listener behind on a signal that many runs share, and no rejection unhandled', async () => {
    const complaints = notingComplaints();
    const { signal } = new AbortController();
    for (let round = 0; round < 100; round += 1) {
      const chatty = new ScriptedModel([[call('lookup')], [says('ok')]]);
      await agentOn(chatty).execute(new RecordedRun({ signal, tools: ['lookup'] }));
      const failing = new PartModel([{ type: 'error', error: new Error('x') }]);
      await refusal(agentOn(failing).execute(new RecordedRun({ signal })));
      await refusal(agentOn(new PartModel([])).execute(new RecordedRun({ signal })));
    }
    expect([getEventListeners(signal, 'abort'), await complaints()]).toEqual([[], []]);
  });
});
