import type { ToolHook } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { boot, type Boot, type GovernedApp, type Told } from '../../support/governed/governed.app.js';
import { Errands } from './errand.tools.js';

/** An application with errands to run, and a run of one errand. */
export class ErrandApp {
  constructor(readonly app: GovernedApp) {}

  static async start(providers: Boot['providers'] = []): Promise<ErrandApp> {
    return new ErrandApp(await boot({ providers: [Errands, ...providers] }));
  }

  get errands(): Errands {
    return this.app.module.get(Errands);
  }

  /** One response with one call of `fetch 1`, with this hook. */
  async fetch(hook: ToolHook): Promise<Told & { readonly statuses: string[]; readonly content?: string }> {
    const told = await this.app.play([[call('fetch', { n: 1 })], [says('done')]], { hooks: [hook] });
    const statuses = await this.app.statuses(told.handle.runId);
    return { ...told, statuses, content: told.script.results[0]?.[0]?.content };
  }
}
