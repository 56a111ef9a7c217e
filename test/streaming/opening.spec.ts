import { AgentRunner } from 'nest-gatehouse';
import { says, scriptedExecutor } from 'nest-gatehouse/testing';

import { openDesk } from '../e2e/support/desk.app.js';
import { internal } from '../e2e/support/store.js';

it('a run that is stored and cannot be opened leaves nothing of it here: its lease is not renewed, and the sweep ends it', async () => {
  const desk = await openDesk({ runs: { lease: 400 } });
  try {
    const opener = internal(desk, 'RunOpener') as { open: (...given: unknown[]) => Promise<{ tellState: () => void }> };
    const open = opener.open.bind(opener);
    const failing = { at: 'say' as 'say' | 'open' | 'never' };
    opener.open = async (...given) => {
      if (failing.at === 'open') throw new Error('the thread cannot be read');
      const live = await open(...given);
      if (failing.at === 'say')
        live.tellState = () => {
          throw new Error('the state cannot be told');
        };
      return live;
    };
    const ended: string[] = [];
    for (const at of ['say', 'open'] as const) {
      failing.at = at;
      const agent = scriptedExecutor([[says('never')]]);
      const handle = desk.get(AgentRunner).start({ agent, input: 'go', user: { id: 'ann' } });
      await expect(handle.started).rejects.toThrow('cannot be');
      const sizeOf = (name: string, field: string) =>
        (Reflect.get(internal(desk, name), field) as Map<unknown, unknown>).size;
      expect([sizeOf('RunIntake', 'locals'), sizeOf('RunLease', 'runs')]).toEqual([0, 0]);
      failing.at = 'never';
      const status = async () => desk.get(AgentRunner).cancel(handle.runId);
      while ((await status()) === 'running') await new Promise(setImmediate);
      ended.push(await status());
    }
    expect(ended).toEqual(['cancelled', 'cancelled']);
  } finally {
    await desk.close();
  }
});
