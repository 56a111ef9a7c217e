import type { JsonValue } from '../contracts/json.js';
import { Redactor } from '../values/redactor.js';
import { ToldState } from './told.state.js';

const toldOf = (state: Record<string, JsonValue>, redactor = new Redactor()) => new ToldState(state, redactor);

describe('what a segment tells of the state', () => {
  it('nothing while there is none, the whole first, then what changed, and nothing twice', () => {
    const state: Record<string, JsonValue> = {};
    const told = toldOf(state);
    expect(told.news()).toBeUndefined();
    Object.assign(state, { order: 7, note: 'a note that is longer than the patch which follows' });
    expect(told.news()).toEqual({ type: 'state.snapshot', state: { order: 7, note: state['note'] } });
    expect(told.news()).toBeUndefined();
    state['order'] = 8;
    expect(told.news()).toEqual({ type: 'state.delta', patch: [{ op: 'replace', path: '/order', value: 8 }] });
    expect(told.news()).toBeUndefined();
    for (const name of Object.keys(state)) delete state[name];
    expect(told.news()).toEqual({ type: 'state.snapshot', state: {} });
  });

  it('hides what is secret, and is silent where only a secret changed', () => {
    const state: Record<string, JsonValue> = { password: 'one' };
    const told = toldOf(state);
    expect(told.news()).toEqual({ type: 'state.snapshot', state: { password: '[redacted]' } });
    state['password'] = 'two';
    expect(told.news()).toBeUndefined();
  });

  it('takes what is no JSON', () => {
    const state: Record<string, unknown> = { big: 10n };
    state['self'] = state;
    const told = toldOf(state as Record<string, JsonValue>);
    expect(told.news()).toEqual({ type: 'state.snapshot', state: { big: '10', self: '[circular]' } });
  });
});
