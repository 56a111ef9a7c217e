import { Injectable } from '@nestjs/common';
import {
  DESTRUCTIVE_METADATA_KEY,
  Tool,
  ToolGuard,
  ToolRegistry,
  type GatehouseModuleOptions,
  type JsonObject,
  type JsonSchema,
  type ToolOptions,
} from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { staged, type StagedApp } from './support/staged.app.js';
import { bootLog } from './support/boot.log.js';

let app: StagedApp;
afterEach(() => app.close());

const NONE = { type: 'object', additionalProperties: false } as const;

type Said = Omit<ToolOptions, 'parameters'> & { readonly parameters?: JsonSchema };

/** Whether a tool that says this of itself is gated, with the guard on. */
const gated = async (said: Said, guard: Partial<NonNullable<GatehouseModuleOptions['guard']>> = {}) => {
  @Injectable()
  class Said {
    @Tool({ description: 'Says something of itself', parameters: NONE, ...said })
    said() {
      return 'said';
    }
  }
  app = await staged({}, { providers: [Said], options: { guard: { enabled: true, ...guard } } });
  const definition = app.module.get(ToolRegistry).get('said');
  expect(definition?.kind).toBe('function');
  const { outcome } = await app.play([[call('said')], [says('done')]]);
  expect(outcome.status).toBe(definition?.gate.gated ? 'suspended' : 'completed');
  await app.close();
  return definition?.gate.gated;
};

describe('a tool is judged destructive', () => {
  it('[165] by its own declaration, and a plain tool is not', async () => {
    app = await staged();
    const registry = app.module.get(ToolRegistry);
    expect(registry.get('drop')).toMatchObject({ kind: 'function', destructive: true, gate: { gated: true } });
    expect(registry.get('lookup')).toMatchObject({ kind: 'function', destructive: false, gate: { gated: false } });
  });

  it.each<[string, JsonObject, boolean]>([
    ['true', { [DESTRUCTIVE_METADATA_KEY]: true }, true],
    ['false', { [DESTRUCTIVE_METADATA_KEY]: false }, false],
    ['absent', {}, false],
    ['truthy, but not true', { [DESTRUCTIVE_METADATA_KEY]: 'yes' }, false],
  ])('[166] by its metadata key: %s', async (_, metadata, expected) => {
    expect(await gated({ metadata })).toBe(expected);
  });

  it.each<[string, Said, boolean]>([
    ['false', { annotations: { readOnlyHint: false } }, true],
    ['false, in metadata', { metadata: { annotations: { readOnlyHint: false } } }, true],
    ['true', { annotations: { readOnlyHint: true } }, false],
    ['absent', { annotations: {} }, false],
    ['unreadable, as the annotations are a text', { metadata: { annotations: 'readOnlyHint: false' } }, false],
  ])('[167] by the annotation readOnlyHint: %s', async (_, said, expected) => {
    expect(await gated(said)).toBe(expected);
  });

  it.each([
    ['true', { ...NONE, 'x-destructive': true }, true],
    ['absent', NONE, false],
  ])('[168] by the stamp at the root of its schema: %s', async (_, parameters, expected) => {
    expect(await gated({ parameters })).toBe(expected);
  });

  it('[169] never by a stamp further down in its schema', async () => {
    const id = { type: 'string', 'x-destructive': true };
    expect(await gated({ parameters: { type: 'object', properties: { id } } })).toBe(false);
  });

  it.each([0, 'false', null])('[171] never by a readOnlyHint of %p: only false is false', async (readOnlyHint) => {
    expect(await gated({ annotations: { readOnlyHint } })).toBe(false);
  });

  it('[170] never by destructiveHint alone, and the boot log warns of it', async () => {
    @Injectable()
    class Hinting {
      @Tool({ description: 'Hints', annotations: { destructiveHint: true } })
      hinted() {
        return 'hinted';
      }
    }
    const { lines, module } = await bootLog([Hinting], { guard: { enabled: true } });
    expect(module.get(ToolRegistry).get('hinted')?.gate).toEqual({ gated: false, why: 'not destructive' });
    expect(lines('gatehouse.guard')).toEqual([
      [
        'warn',
        "Tool 'hinted' hints destructiveHint: true, which gates nothing by itself: say readOnlyHint: false, destructive: true, or list it in guard.requireApproval.",
      ],
    ]);
    await module.close();
    app = await staged();
  });
});

describe('the lists of the guard', () => {
  it('[172] requireApproval gates a plain tool', async () => {
    expect(await gated({}, { requireApproval: ['said'] })).toBe(true);
  });

  it.each<[string, Said]>([
    ['declaration', { destructive: true }],
    ['metadata', { metadata: { [DESTRUCTIVE_METADATA_KEY]: true } }],
    ['annotation', { annotations: { readOnlyHint: false } }],
    ['schema', { parameters: { ...NONE, 'x-destructive': true } }],
  ])('[173] exempt frees a tool that is destructive by its %s', async (_, said) => {
    expect(await gated(said, { exempt: ['said'] })).toBe(false);
  });

  it('[174] exempt wins where a name is in both', async () => {
    expect(await gated({}, { exempt: ['said'], requireApproval: ['said'] })).toBe(false);
  });

  it.each(['external', 'output'] as const)('[175] a tool of kind %s is never gated, whatever it says', async (kind) => {
    app = await staged({}, { options: { guard: { enabled: true, requireApproval: ['lookup'] } } });
    const lookup = app.module.get(ToolRegistry).get('lookup');
    if (lookup === undefined) throw new Error('There is no lookup.');
    const guard = app.module.get(ToolGuard);
    const external = { ...lookup, kind, declaredDestructive: true };
    expect(guard.judge(external).gate).toEqual({ gated: false, why: `${kind} tools are never gated` });
    expect(guard.judge({ ...external, kind: 'function' }).gate.gated).toBe(true);
    expect(lookup.gate.gated).toBe(true);
  });

  it('[176] one and the same tool is gated in this process and as a tool of a remote source', async () => {
    const said = { description: 'Writes', parameters: NONE, annotations: { readOnlyHint: false } };
    @Injectable()
    class Writes {
      @Tool(said)
      write() {
        return 'written';
      }
    }
    app = await staged({}, { providers: [Writes] });
    const registry = app.module.get(ToolRegistry);
    registry.register({ namespace: 'bridge', tools: [{ name: 'write', ...said }], call: () => 'written' });
    expect(registry.get('write')?.gate.gated).toBe(true);
    expect(registry.get('bridge_write')?.gate.gated).toBe(true);
    for (const name of ['write', 'bridge_write']) {
      const { outcome } = await app.play([[call(name)], [says('done')]]);
      expect(outcome).toMatchObject({ status: 'suspended', approvals: [{ toolName: name }] });
    }
    expect(app.records.lines()).toEqual([]);
  });
});
