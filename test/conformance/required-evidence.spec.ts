import { Injectable } from '@nestjs/common';
import {
  CallDeferred,
  ConfigurationError,
  DestructiveTool,
  IntentConflictError,
  SkipToolExecution,
  Tool,
  type GatehouseModuleOptions,
} from 'nest-gatehouse';
import { call, captureLog, says } from 'nest-gatehouse/testing';

import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { ANN, boot, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOnUrl, migratedTemplate } from '../support/governed/stores.js';
import { sqlOn } from './support/sql.js';

@Injectable()
class Effects {
  readonly done: string[] = [];
  seen: () => Promise<void> = () => Promise.resolve();

  @DestructiveTool('Refunds')
  async refund(): Promise<string> {
    await this.seen();
    this.done.push('refund');
    return 'refunded';
  }

  @DestructiveTool('Fails')
  async explode(): Promise<never> {
    this.done.push('explode');
    throw new Error('half done');
  }

  @DestructiveTool('Does not want to')
  veto(): never {
    throw new SkipToolExecution('not today');
  }

  @DestructiveTool('Is answered later')
  later(): never {
    throw new CallDeferred();
  }

  @Tool('Looks')
  look(): string {
    this.done.push('look');
    return 'seen';
  }

  @Tool({ description: 'Looks where looking is evidence', audit: 'required' })
  peek(): string {
    this.done.push('peek');
    return 'peeked';
  }
}

describe('evidence that is required', () => {
  let database: FreshDatabase;
  let app: GovernedApp;
  const log = captureLog();
  const required: GatehouseModuleOptions = {
    audit: { durability: 'required', deadline: 5000 },
    guard: { enabled: false },
  };
  const start = async (options = required): Promise<Effects> => {
    app = await bootOnUrl(database.url, { providers: [Effects], options });
    return app.module.get(Effects);
  };
  const sql = <Row = Record<string, unknown>>(text: string): Promise<Row[]> => sqlOn<Row>(database.url, text);
  /** `kind tool`, as committed. */
  const records = async (): Promise<string[]> => {
    const rows = await sql<{ what: string }>(
      `select concat_ws(' ', kind, tool_name, status) as what from gatehouse.audit_log where kind like 'tool.%' order by at, kind desc, id`,
    );
    return rows.map(({ what }) => what);
  };
  const refuses = (kind: string): Promise<unknown> =>
    sql(`alter table gatehouse.audit_log add constraint none check (kind <> '${kind}')`);

  beforeEach(async () => {
    database = await freshDatabase(await migratedTemplate());
  });
  afterEach(async () => {
    await app.close();
    await database.drop();
  });
  afterAll(() => log.release());

  it('[349] an intent is committed before the method starts, its outcome before the result is used', async () => {
    const effects = await start();
    const seen: string[][] = [];
    effects.seen = async () => void seen.push(await records());
    const { outcome, script } = await app.play([[call('refund')], [says('ok')]]);
    expect(outcome.status).toBe('completed');
    expect(seen).toEqual([['tool.intent refund']]);
    expect(script.results.flat().map(({ content }) => content)).toEqual(['refunded']);
    expect(await records()).toEqual(['tool.intent refund', 'tool.executed refund success']);
    const [{ linked } = { linked: 0 }] = await sql<{ linked: number }>(
      `select count(*)::integer as linked from gatehouse.audit_log i join gatehouse.audit_log e on e.reference = i.id::text
        where i.kind = 'tool.intent' and e.kind = 'tool.executed' and e.operation_id = i.operation_id and i.arguments_digest is not null`,
    );
    expect(linked).toBe(1);
    expect(await app.trail.openIntents()).toEqual({ items: [], nextCursor: null });
  });

  it('[349] no intent, no start: the run fails, and says nothing of the database', async () => {
    const effects = await start();
    await refuses('tool.intent');
    const { outcome, handle } = await app.play([[call('look'), call('refund'), call('look')], [says('never')]]);
    expect(outcome.status).toBe('failed');
    expect('error' in outcome && outcome.error.name).toBe('AuditUnavailableError');
    expect(effects.done).not.toContain('refund');
    const [refund] = (await app.trail.operations({ runId: handle.runId, toolName: 'refund' })).items;
    expect(refund).toMatchObject({ executionStarted: false });
    expect(JSON.stringify(outcome)).not.toMatch(/constraint|audit_log|23514/);
  });

  it('[349] no outcome, no result: what came back is withheld, the run fails, the intent stays open until a person resolves it', async () => {
    const effects = await start();
    await refuses('tool.executed');
    const { outcome, handle, script } = await app.play([[call('refund')], [says('never')]]);
    expect([outcome.status, effects.done]).toEqual(['failed', ['refund']]);
    expect(
      script.results
        .flat()
        .map(({ content }) => content)
        .join(),
    ).not.toContain('refunded');
    const { items } = await app.trail.openIntents({ toolName: 'refund' });
    expect(items).toMatchObject([
      { runId: handle.runId, toolName: 'refund', principalId: 'ann', organizationId: 'acme', unknown: true },
    ]);
    const id = items[0]?.id ?? '';
    await expect(app.trail.resolve('no-id', { outcome: 'ran', by: 'bob', note: 'x' })).rejects.toThrow(
      IntentConflictError,
    );
    await expect(app.trail.resolve(id, { outcome: 'ran', by: 'bob', note: ' ' })).rejects.toThrow('note');
    await app.trail.resolve(id, { outcome: 'ran', by: 'bob', note: 'the bank says so' });
    await expect(app.trail.resolve(id, { outcome: 'did-not-run', by: 'eve', note: 'no' })).rejects.toThrow(
      'it has an outcome already',
    );
    expect((await app.trail.openIntents()).items).toEqual([]);
    expect((await app.trail.timeline(handle.runId)).map(({ kind, status }) => `${kind} ${status}`)).toEqual(
      expect.arrayContaining(['tool.intent null', 'tool.resolved ran']),
    );
  });

  it('an open intent is not unknown while its run goes on', async () => {
    const effects = await start();
    let told: () => void = () => undefined;
    const going = new Promise<void>((resolve) => (told = resolve));
    let go: () => void = () => undefined;
    effects.seen = () => {
      told();
      return new Promise<void>((resolve) => (go = resolve));
    };
    const playing = app.play([[call('refund')], [says('ok')]]);
    await going;
    const { items } = await app.trail.openIntents();
    expect(items.map(({ unknown }) => unknown)).toEqual([false]);
    await expect(app.trail.resolve(items[0]?.id ?? '', { outcome: 'ran', by: 'bob', note: 'x' })).rejects.toThrow(
      'its run still goes on',
    );
    go();
    expect((await playing).outcome.status).toBe('completed');
  });

  it('a failure is an outcome; a veto and a deferral withdraw the intent', async () => {
    await start();
    const { outcome } = await app.play([[call('explode')], [call('veto')], [call('later')]]);
    expect(outcome.status).toBe('suspended');
    expect(await records()).toEqual([
      'tool.intent explode',
      'tool.executed explode failure',
      'tool.intent veto',
      'tool.withdrawn veto',
      'tool.intent later',
      'tool.withdrawn later',
    ]);
    expect((await app.trail.openIntents()).items).toEqual([]);
  });

  it('a tool asks for it itself; one that is not destructive and does not ask costs no commit', async () => {
    await start({ audit: {}, guard: { enabled: false } });
    const { outcome } = await app.play([[call('look')], [call('peek')], [call('refund')], [says('ok')]]);
    expect(outcome.status).toBe('completed');
    expect((await records()).filter((what) => what.startsWith('tool.intent'))).toEqual(['tool.intent peek']);
  });

  it('holds for a direct call too', async () => {
    const effects = await start();
    await refuses('tool.intent');
    await expect(app.tools.call('refund', {}, { user: ANN })).rejects.toMatchObject({ name: 'AuditUnavailableError' });
    expect(effects.done).toEqual([]);
  });

  it('[349] without a database it is refused at boot', async () => {
    await start();
    const booting = (options: GatehouseModuleOptions) => boot({ providers: [Effects], options });
    await expect(booting({ audit: { durability: 'required' } })).rejects.toThrow(ConfigurationError);
    await expect(booting({ audit: {} })).rejects.toThrow(
      "Tool 'peek' with audit: 'required' needs evidence that lasts",
    );
  });
});
