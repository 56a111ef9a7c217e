import { getEventListeners } from 'node:events';
import { untilAborted } from './until.aborted.js';

async function* counting(end: number, log: string[]): AsyncGenerator<number> {
  try {
    for (let item = 1; item <= end; item += 1) yield await Promise.resolve(item);
  } finally {
    log.push('left');
  }
}

const silent = (log: string[]): AsyncIterable<number> => ({
  [Symbol.asyncIterator]: () => ({
    next: () => new Promise<never>(() => undefined),
    return: () => {
      log.push('left');
      return new Promise<never>(() => undefined);
    },
  }),
});

describe('untilAborted', () => {
  it('yields what the source yields and lets go of signal and source', async () => {
    const log: string[] = [];
    const { signal } = new AbortController();
    const seen: number[] = [];
    for await (const item of untilAborted(counting(3, log), signal)) seen.push(item);
    expect(seen).toEqual([1, 2, 3]);
    expect(log).toEqual(['left']);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('throws the reason itself while the source is silent, and does not wait for it to leave', async () => {
    const log: string[] = [];
    const cancel = new AbortController();
    const reason = new Error('enough');
    const reading = untilAborted(silent(log), cancel.signal).next();
    cancel.abort(reason);
    await expect(reading).rejects.toBe(reason);
    expect(log).toEqual(['left']);
    expect(getEventListeners(cancel.signal, 'abort')).toEqual([]);
  });

  it('yields nothing more once the signal has aborted, although more is there', async () => {
    const cancel = new AbortController();
    const seen: number[] = [];
    const reading = async (): Promise<void> => {
      for await (const item of untilAborted(counting(3, []), cancel.signal)) {
        seen.push(item);
        cancel.abort(new Error('one is enough'));
      }
    };
    await expect(reading()).rejects.toThrow('one is enough');
    expect(seen).toEqual([1]);
  });

  it('leaves the source when its reader leaves', async () => {
    const log: string[] = [];
    for await (const item of untilAborted(counting(3, log), new AbortController().signal)) if (item === 2) break;
    expect(log).toEqual(['left']);
  });
});
