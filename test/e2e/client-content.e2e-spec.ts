import type { GatehouseModuleOptions } from 'nest-gatehouse';
import { says } from 'nest-gatehouse/testing';

import { agentOf, play } from './support/client.js';
import { openDesk } from './support/desk.app.js';

/** What a run is given of the state, context and tools that the real AG-UI client sends. */
async function given(streaming: GatehouseModuleOptions['streaming']): Promise<unknown> {
  const desk = await openDesk({ streaming });
  try {
    const seen: unknown[] = [];
    desk.play([
      (run) => {
        seen.push({
          state: { ...run.state },
          instructions: run.instructions,
          tools: run.tools().map(({ name }) => name),
        });
        return [says('ok')];
      },
    ]);
    const agent = agentOf(desk);
    agent.setState({ cart: [1, 2] });
    agent.addMessage({ id: 'question', role: 'user', content: 'go' });
    const context = [{ description: 'page', value: 'orders' }];
    const tools = [{ name: 'evil', description: 'x', parameters: { type: 'object' } }];
    expect(await play(agent, { context, tools, forwardedProps: { admin: true } })).toMatchObject({
      outcome: 'success',
    });
    expect(seen).toHaveLength(1);
    return seen[0];
  } finally {
    await desk.close();
  }
}

const OURS = ['lookup', 'refund', 'remove', 'slow'];

it('what a client sends beside its messages reaches no run by default', async () => {
  expect(await given({})).toEqual({ state: {}, instructions: undefined, tools: OURS });
});

it.each([
  [['state'], { state: { cart: [1, 2] }, instructions: undefined }],
  [['context'], { state: {}, instructions: 'page: orders' }],
  [['state', 'context'], { state: { cart: [1, 2] }, instructions: 'page: orders' }],
] as const)(
  'of it, %j reaches the run where the host accepts that, and its tools never do',
  async (accept, reached) => {
    expect(await given({ accept })).toEqual({ ...reached, tools: OURS });
  },
);
