import { ForbiddenException, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { APP_GUARD, APP_PIPE } from '@nestjs/core';
import { TestCall } from './support/test.call.js';
import { Notes } from './support/tool.fixtures.js';
import { boot, logged, run, toolOf } from './support/tools.app.js';
import { isToolCall, ToolRegistry, type JsonObject, type ToolCall } from './support/tools.room.js';

type ToolSource = Parameters<ToolRegistry['register']>[0];

const calls: { name: string; args: JsonObject; call: ToolCall }[] = [];
beforeEach(() => void calls.splice(0));

const source = (more: Partial<ToolSource> = {}): ToolSource => ({
  namespace: 'crm',
  tools: [
    {
      name: 'find',
      description: 'Find a customer',
      parameters: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
      annotations: { readOnlyHint: true },
    },
    { name: 'count' },
  ],
  call: (name, args, call) => {
    calls.push({ name, args, call });
    return Promise.resolve(`${name} done`);
  },
  ...more,
});

const registryOf = (app: Awaited<ReturnType<typeof boot>>) => app.get(ToolRegistry, { strict: false });
const withSource = async (more: Partial<ToolSource> = {}, providers: Parameters<typeof boot>[0]['providers'] = []) => {
  const app = await boot({ providers: [Notes, ...(providers ?? [])] });
  registryOf(app).register(source(more));
  return app;
};

describe('a tool source', () => {
  it('has its tools offered under its namespace, and called by their own names', async () => {
    const app = await withSource();
    expect(registryOf(app).get('crm_find')).toMatchObject({
      name: 'crm_find',
      description: 'Find a customer',
      kind: 'function',
      source: 'crm',
      annotations: { readOnlyHint: true },
      parameters: { type: 'object', properties: { who: { type: 'string' } }, required: ['who'] },
    });
    expect(registryOf(app).namespaces()).toEqual(['crm']);
    const call = new TestCall();
    expect(await run(toolOf(app, 'crm_find'), { who: 'ann' }, call)).toBe('find done');
    expect(calls).toEqual([{ name: 'find', args: { who: 'ann' }, call }]);
    expect(calls[0]?.call).toBe(call);
  });

  it('has its arguments checked by its own schemas; without one a tool takes none', async () => {
    const app = await withSource();
    await expect(run(toolOf(app, 'crm_find'), {})).rejects.toThrow('invalid: ');
    await expect(run(toolOf(app, 'crm_count'), { deep: true })).rejects.toThrow('invalid: ');
    expect(await run(toolOf(app, 'crm_count'))).toBe('count done');
    expect(calls.map(({ name }) => name)).toEqual(['count']);
  });

  it('stands behind the guards and pipes of the whole application, like any tool', async () => {
    @Injectable()
    class Staff implements CanActivate {
      canActivate(context: ExecutionContext) {
        const [call] = context.getArgs<[ToolCall]>();
        return isToolCall(context) && (call.user?.roles ?? []).includes('staff');
      }
    }
    class Louder {
      transform(value: JsonObject) {
        return { ...value, who: 'ANN' };
      }
    }
    const app = await withSource({}, [
      { provide: APP_GUARD, useClass: Staff },
      { provide: APP_PIPE, useClass: Louder },
    ]);
    await expect(run(toolOf(app, 'crm_find'), { who: 'ann' })).rejects.toBeInstanceOf(ForbiddenException);
    expect(calls).toEqual([]);
    await run(toolOf(app, 'crm_find'), { who: 'ann' }, new TestCall(['staff']));
    expect(calls.map(({ args }) => args)).toEqual([{ who: 'ANN' }]);
  });

  it('is shown in the table when it is registered', async () => {
    const app = await boot({ providers: [Notes] });
    const lines = await logged(async () => registryOf(app).register(source({ tools: [{ name: 'count' }] })));
    expect(lines.map((line) => line.replace(/ +/g, ' '))).toEqual([
      '1 tool\ntool source gate why global guards\ncrm_count crm open not destructive -',
    ]);
  });

  it.each<[string, Partial<ToolSource>, string]>([
    ['a namespace that no name could have', { namespace: 'our crm' }, "A tool source has the namespace 'our crm'"],
    ['a namespace like a class', { namespace: 'Notes#write' }, "A tool source has the namespace 'Notes#write'"],
    ['no namespace', { namespace: '' }, "A tool source has the namespace ''"],
    [
      'a tool with an impossible name',
      { tools: [{ name: 'a/b' }] },
      "Tool 'a/b' of the source 'crm' cannot be offered",
    ],
    ['two tools that look alike', { tools: [{ name: 'get-it' }, { name: 'Get_it' }] }, 'which look alike: crm and crm'],
    ['a schema that is none', { tools: [{ name: 'x', parameters: { type: 'string' } }] }, "must have type 'object'"],
  ])('is refused with %s, and nothing of it stays', async (_, more, message) => {
    const app = await boot({ providers: [Notes] });
    const before = registryOf(app).list();
    expect(() => registryOf(app).register(source(more))).toThrow(message);
    expect(registryOf(app).list()).toEqual(before);
    expect(registryOf(app).namespaces()).toEqual([]);
  });

  it('is refused where its namespace is taken, or one of its names looks like another', async () => {
    const app = await withSource();
    expect(() => registryOf(app).register(source({ namespace: 'CRM' }))).toThrow(
      "A tool source with the namespace 'crm' is registered, so 'CRM' cannot be told apart.",
    );
    expect(() => registryOf(app).register(source({ namespace: 'cr', tools: [{ name: 'm' }] }))).not.toThrow();
    expect(() => registryOf(app).register(source({ namespace: 'CRM_', tools: [{ name: 'x' }] }))).not.toThrow();
    expect(() => registryOf(app).register(source({ namespace: 'c', tools: [{ name: 'rm-find' }] }))).not.toThrow();
    expect(() => registryOf(app).register(source({ namespace: 'crm-', tools: [{ name: 'y' }] }))).toThrow('CRM_');
  });
});
