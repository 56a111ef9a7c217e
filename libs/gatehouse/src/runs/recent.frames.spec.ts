import type { RunEvent, RunFrame } from '../contracts/run.events.js';
import { RecentFrames } from './recent.frames.js';

const delta = (seq: number, text = 'x'): RunFrame => ({
  seq,
  event: { type: 'text.delta', messageId: 'm', delta: text },
});
const SUSPENDED: RunEvent = { type: 'run.suspended', segment: 's', approvals: [] };
const FINISHED: RunEvent = { type: 'run.finished', segment: 's', output: null };
const seqs = (frames: readonly RunFrame[] | undefined) => frames?.map(({ seq }) => seq);

describe('RecentFrames', () => {
  it('answers what follows without a gap, and nothing where the store has to be asked', () => {
    const recent = new RecentFrames();
    recent.keep('run', [delta(4), delta(5)]);
    recent.keep('run', [delta(6)]);
    expect([2, 3, 4, 5, 6].map((after) => seqs(recent.after('run', after)))).toEqual([
      undefined,
      [4, 5, 6],
      [5, 6],
      [6],
      undefined,
    ]);
    expect(recent.after('another', 0)).toBeUndefined();
  });

  it('takes as many frames at once as a loud turn says', () => {
    const recent = new RecentFrames();
    const loud = Array.from({ length: 300_000 }, (_, at) => delta(at + 1));
    recent.keep('run', loud);
    expect(recent.after('run', loud.length - 1)).toEqual(loud.slice(-1));
  });

  it('begins anew behind a gap: what another process wrote in between is in the store', () => {
    const recent = new RecentFrames();
    recent.keep('run', [delta(1), delta(2)]);
    recent.keep('run', [delta(9)]);
    expect([seqs(recent.after('run', 0)), seqs(recent.after('run', 8))]).toEqual([undefined, [9]]);
  });

  it('forgets a run that leaves this process and may go on elsewhere; one that has ended cannot', () => {
    const recent = new RecentFrames();
    recent.keep('waits', [delta(1), { seq: 2, event: SUSPENDED }]);
    recent.keep('ended', [delta(1), { seq: 2, event: FINISHED }]);
    recent.leave('waits');
    recent.leave('ended');
    expect([recent.after('waits', 0), seqs(recent.after('ended', 0))]).toEqual([undefined, [1, 2]]);
  });

  it('keeps a bounded tail of one run: the newest', () => {
    const recent = new RecentFrames();
    for (let seq = 1; seq <= 100; seq += 1) recent.keep('run', [delta(seq, 'x'.repeat(10_000))]);
    expect(recent.size).toBeLessThan(300_000);
    expect(recent.after('run', 0)).toBeUndefined();
    expect(seqs(recent.after('run', 98))).toEqual([99, 100]);
  });

  it('keeps a bounded amount in all: runs that were quiet longest go first', () => {
    const recent = new RecentFrames();
    for (let run = 0; run < 100; run += 1) recent.keep(`run-${run}`, [delta(1, 'x'.repeat(200_000))]);
    expect(recent.size).toBeLessThanOrEqual(8 * 1024 * 1024);
    expect([recent.after('run-0', 0), seqs(recent.after('run-99', 0))]).toEqual([undefined, [1]]);
  });
});
