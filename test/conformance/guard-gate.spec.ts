import { Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { DestructiveTool, Tool, ToolRegistry, ToolRetryError, type GatehouseModuleOptions } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { z } from 'zod';
import { bootLog } from './support/boot.log.js';
import { answerAll, readings } from './support/conversations.js';
import { staged, toolLines, type StagedApp } from './support/staged.app.js';
import { Stage, STAGED } from './support/staged.tools.js';

let app: StagedApp;
afterEach(() => app.close());

const ONE_DROP = [[call('drop', { n: 1 }, 'd1')], [says('done')]] as const;
const pending = async (runId: string) => (await app.approvals.list({ runId, status: 'pending' })).items;

describe('without a guard', () => {
  const runsAtOnce = async (guard: GatehouseModuleOptions['guard']) => {
    app = await staged({}, { options: { guard } });
    const { outcome, handle } = await app.play(ONE_DROP);
    expect(outcome.status).toBe('completed');
    expect(toolLines(app)).toEqual([['drop', '{"n":1}', true, null, 7]]);
    expect(await app.statuses(handle.runId)).toEqual(['drop completed']);
    const { items } = await app.approvals.list({ runId: handle.runId });
    expect(items).toEqual([]);
  };

  it('[163] configured, a destructive tool runs at once and nobody is asked', () => runsAtOnce(undefined));

  it('[164] enabled, it is the same, and one warning names the destructive tools', async () => {
    await runsAtOnce({ enabled: false });
    const { module, lines } = await bootLog(STAGED, { guard: { enabled: false } });
    expect(lines('gatehouse.guard')).toEqual([
      ['warn', "Destructive tools run without anybody's approval (guard.enabled is false): drop."],
    ]);
    await module.close();
  });
});

describe('a gated call', () => {
  it('[177] does not run until it is approved, and its arguments are validated before it waits', async () => {
    app = await staged();
    const { handle } = await app.play([[call('drop', '{"n":1}', 'd1')], [says('done')]]);
    expect(app.module.get(Stage).ran).toEqual([]);
    expect(await pending(handle.runId)).toMatchObject([{ toolName: 'drop', args: { n: 1 } }]);
    await answerAll(app, handle.runId, true);
    expect(app.module.get(Stage).ran).toEqual(['drop {"n":1}']);
  });

  it('[178] with invalid arguments is asked again, and nobody is troubled', async () => {
    app = await staged();
    const told = await app.play([[call('drop', { n: 'one' }, 'd1')], [says('sorry')]]);
    expect(told.outcome.status).toBe('completed');
    expect(readings(told)).toEqual([['retry', expect.stringContaining("The arguments of 'drop' were not accepted")]]);
    expect((await app.approvals.list({ runId: told.handle.runId })).items).toEqual([]);
    expect(app.module.get(Stage).ran).toEqual([]);
  });

  it('[179] beside a free one waits alone: the free one has run and is recorded', async () => {
    app = await staged();
    const { outcome, handle } = await app.play([
      [call('drop', { n: 1 }, 'd1'), call('lookup', { n: 2 }, 'l1')],
      [says('done')],
    ]);
    expect(outcome).toMatchObject({ status: 'suspended', approvals: [{ toolName: 'drop' }] });
    expect(await pending(handle.runId)).toHaveLength(1);
    expect(toolLines(app)).toEqual([['lookup', '{"n":2}', true, null, 5]]);
  });

  it('[180] is not what a tool makes by asking the model to confirm: the model confirms, and it runs without a person', async () => {
    @Injectable()
    class Confirming {
      @Tool({ description: 'Asks', parameters: z.object({ confirmed: z.boolean().default(false) }) })
      wipe({ confirmed }: { confirmed: boolean }) {
        if (!confirmed) throw new ToolRetryError('Call again with confirmed: true.');
        return 'wiped';
      }
    }
    app = await staged({}, { providers: [Confirming] });
    const told = await app.play([[call('wipe')], [call('wipe', { confirmed: true })], [says('done')]]);
    expect(told.outcome.status).toBe('completed');
    expect(readings(told, 1)).toEqual([['success', 'wiped']]);
    expect((await app.approvals.list({ runId: told.handle.runId })).items).toEqual([]);
  });
});

describe('a tool that joins later', () => {
  const table = () => app.logged('gatehouse.tools').map(({ message }) => message.replace(/ +/g, ' '));

  @Injectable()
  class Late {
    @DestructiveTool('Comes late and burns')
    burn() {
      return 'burnt';
    }
  }
  @Module({ providers: [Late] })
  class LateModule {}

  it('[181] is judged when it is registered, and the table of the gate is logged again', async () => {
    app = await staged();
    const registry = app.module.get(ToolRegistry);
    await app.module.get(LazyModuleLoader).load(() => LateModule);
    expect(registry.get('burn')).toBeUndefined();
    registry.refresh();
    registry.register({ namespace: 'crm', tools: [{ name: 'find' }], call: () => 'found' });
    expect(registry.get('burn')?.gate).toEqual({ gated: true, why: 'declared destructive' });
    expect(registry.get('crm_find')?.gate).toEqual({ gated: true, why: "tool of the remote source 'crm'" });
    expect(table()).toEqual([
      ['1 tool', 'tool source gate why global guards', 'burn Late#burn gated declared destructive -'].join('\n'),
      ['1 tool', 'tool source gate why global guards', "crm_find crm gated tool of the remote source 'crm' -"].join(
        '\n',
      ),
    ]);
    const { outcome } = await app.play([[call('burn'), call('crm_find')], [says('done')]]);
    expect(outcome).toMatchObject({
      status: 'suspended',
      approvals: [{ toolName: 'burn' }, { toolName: 'crm_find' }],
    });
  });

  it('may be named in requireApproval before its source offers it: under a namespace that is a warning, else a boot error', async () => {
    @Injectable()
    class Crm implements OnModuleInit {
      constructor(private readonly registry: ToolRegistry) {}

      onModuleInit(): void {
        this.registry.register({ namespace: 'crm', tools: [], call: () => undefined });
      }
    }
    const guard = { enabled: true, requireApproval: ['crm_erase'] };
    const { module, lines } = await bootLog([Crm], { guard });
    expect(lines('gatehouse.guard')).toEqual([
      ['warn', "guard.requireApproval names 'crm_erase', which its source does not offer (yet)."],
    ]);
    await module.close();
    await expect(bootLog([], { guard })).rejects.toThrow(
      "guard.requireApproval names 'crm_erase', and there is no such tool.",
    );
    app = await staged();
  });
});
