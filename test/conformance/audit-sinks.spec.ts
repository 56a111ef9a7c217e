import { Injectable } from '@nestjs/common';
import {
  LoggingAuditLogger,
  Tool,
  type AuditEvent,
  type AuditLogger,
  type GatehouseModuleOptions,
  type ToolTarget,
} from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { notingComplaints } from '../support/complaints.js';
import { KeptRecords } from '../support/governed/governed.app.js';
import { readings } from './support/conversations.js';
import { staged, type StagedApp } from './support/staged.app.js';

let app: StagedApp;
afterEach(() => app.close());

const play = (name: string, args: unknown = { n: 0 }) => app.play([[call(name, args, 'c1')], [says('done')]]);
const dropped = () => app.logged('gatehouse.audit').map(({ level, message }) => [level, message]);
const line = (sink: string, tool: string, runId: string, why: string) => [
  'error',
  `Audit event dropped by ${sink}: tool '${tool}', run ${runId} (${why}).`,
];

describe('a sink that fails', () => {
  class Throwing implements AuditLogger {
    record(): void {
      throw new RangeError('disk full');
    }
  }

  const withSink = async (sink: NonNullable<Exclude<GatehouseModuleOptions['audit'], false>>['loggers']) => {
    app = await staged({}, { options: { audit: { loggers: [...(sink ?? []), KeptRecords], sinkTimeout: 20 } } });
  };

  it('[153] by throwing costs its record: the run has its result, the log says which sink and which tool', async () => {
    await withSink([Throwing]);
    const told = await play('lookup');
    expect(readings(told)).toEqual([['success', 'found']]);
    expect(told.outcome.status).toBe('completed');
    expect(dropped()).toEqual([line('Throwing', 'lookup', told.handle.runId, 'RangeError: disk full')]);
    expect(app.records.lines()).toEqual(['lookup ok']);
  });

  it('[154] by rejecting costs the same, and leaves no unhandled rejection', async () => {
    class Rejecting implements AuditLogger {
      record(): Promise<void> {
        return Promise.reject(new Error('no route'));
      }
    }
    const complaints = notingComplaints();
    await withSink([Rejecting]);
    const told = await play('lookup');
    expect(await complaints()).toEqual([]);
    expect(readings(told)).toEqual([['success', 'found']]);
    expect(dropped()).toEqual([line('Rejecting', 'lookup', told.handle.runId, 'Error: no route')]);
  });

  it('[155] by never answering is waited for as long as audit.sinkTimeout says', async () => {
    class Hanging implements AuditLogger {
      record(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    await withSink([Hanging]);
    const told = await play('lookup');
    expect(readings(told)).toEqual([['success', 'found']]);
    expect(dropped()).toEqual([line('Hanging', 'lookup', told.handle.runId, 'Error: no answer within 20 ms')]);
  });

  it("[156] while the tool failed: the run sees the tool's error, not the sink's", async () => {
    app = await staged({}, { options: { audit: { loggers: [Throwing] }, failure: { enabled: false } } });
    const { outcome } = await play('boom');
    expect(outcome).toMatchObject({ status: 'failed', error: { name: 'ValueError', message: 'kaboom' } });
  });

  it('[157] once records the next call as ever', async () => {
    class Flaky extends KeptRecords {
      private failed = false;
      override record(event: AuditEvent): void {
        if (this.failed) return super.record(event);
        this.failed = true;
        throw new Error('first');
      }
    }
    app = await staged({}, { providers: [Flaky], options: { audit: { loggers: [Flaky] } } });
    await app.play([[call('lookup', { n: 1 })], [call('lookup', { n: 2 })], [says('done')]]);
    expect(app.module.get(Flaky).events.map(({ argumentsRepr }) => argumentsRepr)).toEqual(['{"n":2}']);
    expect(dropped()).toHaveLength(1);
  });
});

describe('LoggingAuditLogger', () => {
  let target: ToolTarget | undefined;

  @Injectable()
  class Orders {
    @Tool({ name: 'order', description: 'One order', target: () => target as ToolTarget })
    order() {
      return 'found';
    }
  }

  const logged = async (tool: string, audit: GatehouseModuleOptions['audit'] = {}, of?: ToolTarget) => {
    target = of;
    app = await staged({}, { providers: [Orders], options: { audit: { ...audit, loggers: [LoggingAuditLogger] } } });
    await app.play([[call(tool)], [says('done')]], { user: { id: 'eve' } });
    return app
      .logged('gatehouse.audit')
      .map(({ level, message }) => [level, message.replace(/\d+\.\d\d ms/, 'N.NN ms')]);
  };

  it('[158] writes a success at INFO: tool, duration to two decimals, size, arguments', async () => {
    expect(await logged('lookup')).toEqual([['log', 'lookup ok in N.NN ms, size 5 args={}']]);
  });

  it('[159] writes a failure at WARN: tool and error', async () => {
    expect(await logged('boom')).toEqual([['warn', 'boom failed in N.NN ms: ValueError: kaboom args={}']]);
  });

  it('[160] names organization, target and address', async () => {
    const defaults = { organizationId: 'acme', ipAddress: '10.0.0.7' };
    expect(await logged('order', { defaults }, { type: 'order', id: '42' })).toEqual([
      ['log', 'order ok in N.NN ms, size 5 args={} org=acme target=order:42 ip=10.0.0.7'],
    ]);
  });

  it('[161] marks a target without a type', async () => {
    expect(await logged('order', {}, { id: '42' } as ToolTarget)).toEqual([
      ['log', 'order ok in N.NN ms, size 5 args={} target=?:42'],
    ]);
  });

  it('[162] writes no label where there is nothing to say', async () => {
    expect(await logged('order')).toEqual([['log', 'order ok in N.NN ms, size 5 args={}']]);
  });
});
