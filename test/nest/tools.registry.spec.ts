import { Injectable, Module } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { z } from 'zod';
import { TestCall } from './support/test.call.js';
import { boot, refusal, run, toolOf } from './support/tools.app.js';
import { Note, Notes } from './support/tool.fixtures.js';
import { DestructiveTool, RequireApproval, Tool, ToolRegistry, validatedText } from './support/tools.room.js';

const text = { type: 'object', properties: { text: { type: 'string' } } } as const;
const registryOf = (app: Awaited<ReturnType<typeof boot>>) => app.get(ToolRegistry, { strict: false });

@Injectable()
class Desk {
  private readonly type = 'note';

  @DestructiveTool({
    name: 'notes.erase',
    description: 'Erase a note',
    annotations: { title: 'Erase' },
    metadata: { team: 'desk' },
    retries: 2,
    timeout: '5s',
    audit: 'required',
    target: (args: Note) => ({ type: 'note', id: args.text }),
  })
  @RequireApproval({ when: (args: Note) => args.text !== '', risk: 'high' })
  erase(note: Note) {
    return `${this.type} ${note.text}`;
  }

  @Tool({ description: 'Read', parameters: { ...text, 'x-destructive': true } })
  read() {
    return this.type;
  }
}

describe('the registry', () => {
  it('holds each tool as a frozen definition, judged and fingerprinted', async () => {
    const definition = registryOf(await boot({ providers: [Desk] })).get('notes.erase');
    expect(definition).toEqual({
      name: 'notes.erase',
      description: 'Erase a note',
      kind: 'function',
      source: 'Desk#erase',
      parameters: {
        type: 'object',
        additionalProperties: false,
        properties: { text: { type: 'string' } },
        required: ['text'],
        'x-destructive': true,
      },
      destructive: true,
      gate: { gated: true, why: 'destructive' },
      annotations: { title: 'Erase' },
      metadata: { team: 'desk' },
      approval: { when: expect.any(Function), risk: 'high' },
      fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect([definition, definition?.gate, definition?.parameters, definition?.approval].every(Object.isFrozen)).toBe(
      true,
    );
  });

  it('two boots give one fingerprint', async () => {
    const [one, other] = [await boot({ providers: [Desk] }), await boot({ providers: [Desk] })].map((app) =>
      registryOf(app).list(),
    );
    expect(one?.map((tool) => tool.fingerprint)).toEqual(other?.map((tool) => tool.fingerprint));
  });

  it('offers the stamp that was judged, not the one that was written', async () => {
    expect(registryOf(await boot({ providers: [Desk] })).get('read')?.parameters).toEqual(text);
  });

  it('hands the pipeline what it needs', async () => {
    const tool = toolOf(await boot({ providers: [Desk] }), 'notes.erase');
    expect([tool.retries, tool.timeoutMs, tool.audit, tool.target?.({ text: 'n1' })]).toEqual([
      2,
      5000,
      'required',
      { type: 'note', id: 'n1' },
    ]);
    expect(await run(tool, { text: 'n1' })).toBe('note n1');
  });

  it('lists by name, and tells names that nobody has', async () => {
    const registry = registryOf(await boot({ providers: [Notes, Desk] }));
    expect(registry.list().map(({ name }) => name)).toEqual(['notes.erase', 'read', 'write']);
    expect(registry.unknown(['write', 'wirte', 'Read'])).toEqual(['wirte', 'Read']);
    expect([registry.get('wirte'), registry.registered('wirte')]).toEqual([undefined, undefined]);
  });

  it('a refused refresh leaves everything as it was', async () => {
    @Injectable()
    class Late {
      @Tool('fine')
      fine() {
        return 1;
      }
      @Tool({ name: 'READ', description: 'a twin' })
      twin() {
        return 1;
      }
    }
    @Module({ providers: [Late] })
    class Lazy {}
    const app = await boot({ providers: [Desk] });
    await app.get(LazyModuleLoader).load(() => Lazy);
    expect(() => registryOf(app).refresh()).toThrow(
      "Two tools are named 'read' and 'READ', which look alike: Desk#read and Late#twin (of Lazy).",
    );
    expect(
      registryOf(app)
        .list()
        .map(({ name }) => name),
    ).toEqual(['notes.erase', 'read']);
  });

  it('@RequireApproval without a tool is refused', async () => {
    @Injectable()
    class Lone {
      @RequireApproval()
      erase() {}
    }
    @Injectable()
    @RequireApproval()
    class Whole {}
    const rest = 'has @RequireApproval, but no tool there would ask for it. Add @Tool, or remove it.';
    expect(await refusal({ providers: [Lone] })).toBe(`ConfigurationError: Lone#erase ${rest}`);
    expect(await refusal({ providers: [Whole] })).toBe(`ConfigurationError: Whole ${rest}`);
  });

  it('a method whose parameter is no class is refused, with what to do', async () => {
    @Injectable()
    class Vague {
      @Tool('x')
      x(args: { id: string }) {
        return args.id;
      }
    }
    expect(await refusal({ providers: [Vague] })).toContain(
      'ConfigurationError: Vague#x: no schema for its arguments is to be found',
    );
    expect(await refusal({ providers: [Vague] })).toContain('Pass parameters: Dto');
  });
});

describe('a value that was approved is made again', () => {
  const when = z.object({ at: z.coerce.date(), amount: z.string().transform(Number) });
  let count = 0;
  @Injectable()
  class Made {
    @Tool({ description: 'x', parameters: when })
    repeatable(args: z.infer<typeof when>) {
      return args.at.getTime() + args.amount;
    }
    @Tool({ description: 'x', parameters: z.object({ nonce: z.number().default(() => ++count) }) })
    random() {
      return 1;
    }
  }
  const admitted = async (name: string, args: Parameters<typeof run>[1]) => {
    const tool = toolOf(await boot({ providers: [Made] }), name);
    const invocation = await tool.open(new TestCall());
    const result = await tool.validate(args ?? {});
    if (!result.ok) throw new Error(result.problems.join());
    return { invocation, received: args ?? {}, value: result.value, shown: validatedText(result.value) };
  };

  it('[376] by the schema from what was received: dates are dates, and nobody has held the object', async () => {
    const { invocation, received, value, shown } = await admitted('repeatable', {
      at: '2026-01-02T03:04:05Z',
      amount: '7',
    });
    expect(shown).toBe('{"amount":7,"at":"2026-01-02T03:04:05.000Z"}');
    const again = await invocation.rebuild(received, shown);
    expect(again).toEqual({ at: new Date('2026-01-02T03:04:05Z'), amount: 7 });
    expect(again).not.toBe(value);
  });

  it('[376] a random default gives another value: not repeatable', async () => {
    const { invocation, received, shown } = await admitted('random', {});
    await expect(invocation.rebuild(received, shown)).rejects.toThrow(
      "The schema of 'random' is not repeatable: the same arguments gave another value.",
    );
  });

  it('other bytes than the approved ones give nothing', async () => {
    const { invocation, shown } = await admitted('repeatable', { at: '2026-01-02T03:04:05Z', amount: '7' });
    await expect(invocation.rebuild({ at: '2026-01-02T03:04:05Z', amount: '8' }, shown)).rejects.toThrow(
      'is not repeatable',
    );
    await expect(invocation.rebuild({ at: 'never' }, shown)).rejects.toThrow('it refuses now what it accepted before');
  });
});
