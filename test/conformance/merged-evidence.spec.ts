import { ForbiddenException, Injectable } from '@nestjs/common';
import { IsInt, IsString } from 'class-validator';
import { Decide, Inspector, Tool, type GatehouseModuleOptions, type OperationRequest } from 'nest-gatehouse';
import { call, captureLog, says, type ExecutorLine } from 'nest-gatehouse/testing';
import { z } from 'zod';

import { freshDatabase } from '../support/postgres.js';
import { type Boot, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOn, bootOnUrl, migratedTemplate, STORES } from '../support/governed/stores.js';
import { inside } from './support/inside.js';
import { lastOperationId, raises } from './support/output.script.js';
import { sqlOn } from './support/sql.js';
import { Till } from './support/till.js';

let app: GovernedApp;
let log: ReturnType<typeof captureLog>;
afterEach(async () => {
  await app.close();
  log.release();
});

class LoginDto {
  @IsInt()
  amount!: number;
  @IsString()
  password!: string;
}

@Injectable()
class OddTools {
  readonly received: unknown[] = [];

  @Tool('Shares its name with the record of a run')
  ['agent.run']() {
    return 'a tool';
  }

  @Tool('Logs in')
  login(args: LoginDto): string {
    this.received.push({ ...args });
    return 'in';
  }

  @Tool('Is not for you')
  forbidden(): never {
    throw new ForbiddenException('Not yours.');
  }
}

@Inspector()
class Refuses {
  inspectOperation({ args }: OperationRequest) {
    return (args as { amount: number }).amount === 13 ? Decide.reject('Not 13.') : Decide.accept();
  }
}

describe.each(STORES)('the evidence of one run, in %s', (store) => {
  const start = async (options: GatehouseModuleOptions = {}, rest: Partial<Boot> = {}) => {
    app = await bootOn(store, { providers: [Till, OddTools], options, ...rest });
    // After the boot, which sets a logger of its own.
    log = captureLog();
  };

  it('[337] [338] a rejected call and its skipped sibling are in the ledger, never in the audit', async () => {
    await start({}, { providers: [Till, OddTools, Refuses] });
    const { handle } = await app.play([[call('look', { amount: 13 }), call('look', { amount: 1 })], [says('ok')]]);
    expect(await app.statuses(handle.runId)).toEqual(['look rejected', 'look skipped by look']);
    expect(app.records.events).toEqual([]);
    expect((await app.trail.executions({ runId: handle.runId })).items).toEqual([]);
  });

  it("[341] a tool's denial ends the run before the model could choose anything, and its failure is recorded", async () => {
    await start();
    const calls = [call('forbidden'), call('look', { amount: 1 })];
    const { outcome, script, handle } = await app.play([calls, [says('never')]], { limits: { parallelToolCalls: 1 } });
    expect(outcome).toMatchObject({ status: 'failed', stage: 'denial', error: { message: 'Not yours.' } });
    expect(script.requests).toHaveLength(1);
    expect(app.records.lines()).toEqual([
      'forbidden ForbiddenException: Not yours.',
      'agent.run run failed: Not yours.',
    ]);
    expect(await app.statuses(handle.runId)).toEqual(['forbidden failed', 'look skipped by forbidden']);
  });

  it('[342] without detail the model reads an id and no word of the error; raising it throws the original', async () => {
    await start({ failure: { includeDetail: false } });
    const lines: ExecutorLine[] = [[call('jam', { amount: 1 })], (run) => [raises(lastOperationId(run))]];
    const { outcome, script } = await app.play(lines, { output: { schema: z.string(), allowRaise: true } });
    const [result] = script.results[0] ?? [];
    expect(result?.content).toContain(result?.operationId);
    expect(result?.content).not.toMatch(/kaboom|ValueError/);
    expect(outcome.status).toBe('raised');
    expect('error' in outcome && outcome.error).toBe(app.module.get(Till).jammed);
  });

  it('[351] a hundred runs at once: each record carries its own run, step and operation, and none is missing', async () => {
    await start();
    const played = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        app.play([[call('look', { amount: n })], [call('look', { amount: n + 1000 })], [says('ok')]]),
      ),
    );
    expect(app.records.events).toHaveLength(200);
    for (const [n, { handle }] of played.entries()) {
      const { runId } = handle;
      const operations = await app.operations(runId);
      expect(operations.map(({ step, argumentsRepr }) => `${step} ${argumentsRepr}`)).toEqual([
        `1 {"amount":${n}}`,
        `2 {"amount":${n + 1000}}`,
      ]);
      const executions = app.records.events.filter((event) => event.runId === runId);
      expect(executions.map(({ operationId, argumentsRepr }) => [operationId, argumentsRepr])).toEqual(
        operations.map(({ id, argumentsRepr }) => [id, argumentsRepr]),
      );
    }
  });

  it('[352] a tool named agent.run is told from the record of a run by its kind', async () => {
    await start({ failure: { enabled: false } });
    const { handle } = await app.play([[call('agent.run')], [call('jam', { amount: 1 })]]);
    expect(app.records.events.map(({ kind, toolName, success }) => `${kind} ${toolName} ${success}`)).toEqual([
      'tool agent.run true',
      'tool jam false',
      'run agent.run false',
    ]);
    expect(app.records.events.map(({ operationId }) => operationId === null)).toEqual([false, false, true]);
    expect((await app.operations(handle.runId)).map(({ toolName }) => toolName)).toEqual(['agent.run', 'jam']);
  });

  it('[353] secrets in arguments: hidden in audit and ledger, in clear for the tool', async () => {
    await start();
    const { handle } = await app.play([[call('login', { amount: 1, password: 'hunter2' })], [says('ok')]]);
    const shown = '{"amount":1,"password":"[redacted]"}';
    expect(app.records.events.map(({ argumentsRepr }) => argumentsRepr)).toEqual([shown]);
    expect((await app.operations(handle.runId)).map(({ argumentsRepr }) => argumentsRepr)).toEqual([shown]);
    expect(app.module.get(OddTools).received).toEqual([{ amount: 1, password: 'hunter2' }]);
  });

  it('[354] a redactor that throws: the placeholder stands for the arguments, it is counted, the run goes on', async () => {
    const redact = (): never => {
      throw new Error('redactor broke');
    };
    await start({ redaction: { redact } });
    const { handle, outcome } = await app.play([[call('look', { amount: 1 })], [says('ok')]]);
    expect(outcome.status).toBe('completed');
    expect(app.records.events.map(({ argumentsRepr }) => argumentsRepr)).toEqual(['"[redacted]"']);
    expect((await app.operations(handle.runId)).map(({ argumentsRepr }) => argumentsRepr)).toEqual(['"[redacted]"']);
    expect(app.module.get(Till).done).toEqual(['look 1']);
    expect(inside<{ failures: number }>(app.module, 'Redactor').failures).toBeGreaterThan(0);
  });
});

describe('when evidence cannot be written', () => {
  it('[348] best effort: the run completes; what was dropped is counted and logged', async () => {
    const database = await freshDatabase(await migratedTemplate());
    app = await bootOnUrl(database.url, { providers: [Till, OddTools] });
    log = captureLog();
    await sqlOn(
      database.url,
      "alter table gatehouse.audit_log add constraint no_looks check (kind <> 'tool.executed' or tool_name <> 'look')",
    );
    const { outcome, handle } = await app.play([[call('look', { amount: 1 })], [says('ok')]]);
    const writer = inside<{ losses: number; flush(): Promise<void> }>(app.module, 'EvidenceWriter');
    await writer.flush();
    expect(outcome.status).toBe('completed');
    expect(await app.statuses(handle.runId)).toEqual(['look completed']);
    expect(writer.losses).toBe(1);
    const gaps = "select status, amount::integer, tool_name, outcome from gatehouse.audit_log where kind = 'gap'";
    expect(await sqlOn(database.url, gaps)).toEqual([
      { status: 'refused', amount: 1, tool_name: 'look', outcome: 'tool.executed' },
    ]);
    expect(log.lines.filter(({ level, context }) => level === 'error' && context === 'gatehouse.audit')).toHaveLength(
      1,
    );
    await app.close();
    await database.drop();
  });
});
