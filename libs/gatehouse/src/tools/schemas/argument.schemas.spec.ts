import { IsString } from 'class-validator';
import { z } from 'zod';
import type { JsonValue } from '../../contracts/json.js';
import { ToolCall } from '../../contracts/tool.call.js';
import { argumentSchema } from './argument.schemas.js';

class Order {
  @IsString()
  id!: string;
}

const of = (source: unknown) => argumentSchema({ label: 'Orders#refund', source, length: 1 });
const check = async (source: unknown, value: JsonValue) => {
  const result = await of(source).validate(value);
  return result.ok ? result.value : result.problems;
};

describe('a Standard Schema', () => {
  const Search = z.strictObject({
    text: z.string().min(2),
    page: z.string().transform(Number),
    at: z.coerce.date().optional(),
  });

  it('describes what goes in', () => {
    expect(of(Search).json).toEqual({
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 2 },
        page: { type: 'string' },
        at: { type: 'string', format: 'date-time' },
      },
      required: ['text', 'page'],
      additionalProperties: false,
    });
  });

  it('gives what comes out', async () => {
    expect(await check(Search, { text: 'ab', page: '7' })).toEqual({ text: 'ab', page: 7 });
  });

  it('names places', async () => {
    expect(
      await check(z.object({ list: z.array(z.object({ n: z.number() })) }), { list: [{ n: 1 }, { n: 'SECRET' }] }),
    ).toEqual(['list[1].n: Invalid input: expected number, received string']);
  });

  it('that is asynchronous is awaited', async () => {
    expect(await check(z.object({ a: z.string().refine(async (text) => text === 'x') }), { a: 'y' })).toEqual([
      'a: Invalid input',
    ]);
  });

  it('that can never come from JSON is refused', () => {
    expect(() => of(z.object({ at: z.date() }))).toThrow(
      'Orders#refund: its zod schema cannot be written as JSON Schema: Date cannot be represented in JSON Schema Describe what the model sends',
    );
    expect(() => of(z.object({ map: z.map(z.string(), z.string()) }))).toThrow('cannot be written as JSON Schema');
  });

  it('that cannot describe itself is refused with a way out', () => {
    const mute = { '~standard': { version: 1, vendor: 'mute', validate: (value: unknown) => ({ value }) } };
    expect(() => of(mute)).toThrow(
      "Orders#refund: its mute schema cannot describe itself as JSON Schema (no '~standard'.jsonSchema).",
    );
  });
});

describe('a raw JSON Schema', () => {
  const raw = {
    type: 'object',
    properties: {
      id: { type: 'string', 'x-note': 1 },
      level: { enum: ['low', 'high'] },
      list: { type: 'array', items: { type: 'integer' } },
    },
    required: ['id'],
    additionalProperties: false,
    'x-destructive': true,
  };

  it('is offered as it is, frozen, and checked', async () => {
    expect(of(raw).json).toEqual(raw);
    expect(Object.isFrozen(of(raw).json['properties'])).toBe(true);
    expect(await check(raw, { id: 'a', list: [1] })).toEqual({ id: 'a', list: [1] });
    expect(await check(raw, { level: 'SECRET', list: [1, 'SECRET'], more: 1 })).toEqual([
      "must have required property 'id'",
      'more: is not a known property',
      'level: must be equal to one of the allowed values: ["low","high"]',
      'list[1]: must be integer',
    ]);
  });

  it('draft 07 and 2020-12 both work', async () => {
    const seven = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] } },
    };
    expect(await check(seven, { pair: [1, 1] })).toEqual(['pair[0]: must be string']);
    expect(
      await check(
        { type: 'object', properties: { pair: { type: 'array', prefixItems: [{ type: 'string' }] } } },
        { pair: [1] },
      ),
    ).toEqual(['pair[0]: must be string']);
  });

  it('a misspelled keyword, a broken reference, another root type are boot errors', () => {
    expect(() => of({ type: 'object', requried: ['id'] })).toThrow(
      'Orders#refund: its JSON Schema does not compile: strict mode: unknown keyword: "requried"',
    );
    expect(() => of({ type: 'object', properties: { a: { $ref: '#/$defs/none' } } })).toThrow(
      'Orders#refund: its JSON Schema does not compile',
    );
    expect(() => of({ type: 'array' })).toThrow("Orders#refund: its JSON Schema must have type 'object' at the root");
  });
});

describe('without parameters in @Tool', () => {
  const found = (types: readonly unknown[] | undefined, length: number) =>
    argumentSchema({ label: 'Orders#refund', types, length });

  it('the DTO of the first parameter is taken', () => {
    expect(found([Order, ToolCall], 2).metatype).toBe(Order);
  });

  it('a method that takes nothing allows nothing', async () => {
    const none = found([], 0);
    expect(none.json).toEqual({ type: 'object', properties: {}, additionalProperties: false });
    expect([await none.validate({}), await none.validate({ a: 1 })]).toEqual([
      { ok: true, value: {} },
      { ok: false, problems: ['a: the tool takes no arguments'] },
    ]);
    expect(found(undefined, 0)).toBe(none);
  });

  it.each([[[Object]], [[String]], [[Array]], [[undefined]]])('%p says nothing: refused with what to do', (types) => {
    expect(() => found(types, 1)).toThrow(
      'Orders#refund: no schema for its arguments is to be found: the type of its first parameter is not a class. Pass parameters: Dto ' +
        "(a class with class-validator decorators), a Standard Schema such as zod's, or a JSON Schema.",
    );
  });

  it('a compiler that writes no types is named', () => {
    expect(() => found(undefined, 1)).toThrow('the compiler wrote no types down (emitDecoratorMetadata');
  });

  it('the call is never the first parameter', () => {
    expect(() => found([ToolCall], 1)).toThrow('Orders#refund: the arguments come first');
  });
});
