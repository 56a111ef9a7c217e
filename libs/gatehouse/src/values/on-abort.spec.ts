import { getEventListeners } from 'node:events';

import { onAbort } from './on-abort.js';

describe('onAbort', () => {
  it('calls every listener once, by one listener of the signal, and leaves none behind', () => {
    const stop = new AbortController();
    const heard: string[] = [];
    const twice = () => void heard.push('twice');
    for (const listener of [twice, twice, () => void heard.push('once')]) onAbort(stop.signal, listener);
    const end = onAbort(stop.signal, () => void heard.push('ended'));
    end();
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(1);
    stop.abort();
    expect(heard).toEqual(['twice', 'twice', 'once']);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('leaves the signal alone once nobody listens, and listens again later', () => {
    const stop = new AbortController();
    const ends = [onAbort(stop.signal, () => undefined), onAbort(stop.signal, () => undefined)];
    for (const end of [...ends, ...ends]) end();
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    let heard = 0;
    onAbort(stop.signal, () => (heard += 1));
    stop.abort();
    expect(heard).toBe(1);
  });

  it('a signal that has aborted is heard at once', () => {
    let heard = 0;
    onAbort(AbortSignal.abort(), () => (heard += 1))();
    expect(heard).toBe(1);
  });
});
