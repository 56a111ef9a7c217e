import type { JsonSchema } from '../../contracts/json.js';
import { outputSchema } from './output.schema.js';

const TEXT = { type: 'string' };
const DEFS = { $defs: { A: TEXT } };
const objectWith = (a: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties: { a },
  ...more,
});

describe('references of an output schema, where it is offered', () => {
  const offered = (schema: JsonSchema) => outputSchema(schema, 'the output').json;
  const judged = async (schema: JsonSchema, ...values: unknown[]) => {
    const { validate } = outputSchema(schema, 'the output');
    const checked = await Promise.all(values.map(async (value) => validate(value)));
    return checked.map(({ ok }) => ok);
  };

  it.each([
    ['a pointer from the root', objectWith({ $ref: '#/$defs/A' }, DEFS)],
    ['a pointer below an id', objectWith({ $ref: '#/$defs/A' }, { $id: 'https://x.test/s', ...DEFS })],
    ['the id itself', objectWith({ $ref: 'https://x.test/s#/$defs/A' }, { $id: 'https://x.test/s', ...DEFS })],
    [
      'definitions of draft 07',
      objectWith(
        { $ref: '#/definitions/A' },
        { $schema: 'http://json-schema.org/draft-07/schema#', definitions: { A: TEXT } },
      ),
    ],
    [
      'an anchor of draft 07',
      objectWith(
        { $ref: '#/definitions/A' },
        { $schema: 'http://json-schema.org/draft-07/schema#', $id: '#root', definitions: { A: TEXT } },
      ),
    ],
  ])('%s leads where it led', async (_name, schema) => {
    expect(await judged(schema, { a: 's' }, { a: 5 })).toEqual([true, false]);
  });

  it('an id further down is a root of its own', async () => {
    const inner = objectWith({ $ref: '#/$defs/A' }, { $id: 'https://x.test/inner', $defs: { A: { type: 'number' } } });
    const schema: JsonSchema = { type: 'object', properties: { b: inner, c: { $ref: '#/$defs/A' } }, ...DEFS };
    expect(offered(schema)['properties']).toEqual({ b: inner, c: { $ref: '#/properties/return/$defs/A' } });
    const values = [{ b: { a: 1 }, c: 's' }, { b: { a: 's' } }, { c: 1 }];
    expect(await judged(schema, ...values)).toEqual([true, false, false]);
  });

  it.each([
    ['const', { const: { $ref: '#/x' } }],
    ['enum', { enum: [{ $ref: '#/x' }] }],
  ])('a value under %s is a value, not a reference', async (_name, member) => {
    const schema = objectWith(member);
    expect(offered(schema)).toEqual(schema);
    expect(await judged(schema, { a: { $ref: '#/x' } }, { a: { $ref: '#/properties/return/x' } })).toEqual([
      true,
      false,
    ]);
  });

  it('defaults and examples stay as they are', () => {
    const schema = objectWith({ default: { $ref: '#' }, examples: [{ $ref: '#/x' }] });
    expect(offered(schema)).toEqual(schema);
  });

  it('a property may have the name of a keyword', async () => {
    const named = (to: string) => ({
      type: 'object',
      properties: { const: { $ref: to }, $id: TEXT, $ref: TEXT },
      required: ['const'],
    });
    const schema: JsonSchema = { ...named('#/$defs/A'), ...DEFS };
    expect(offered(schema)).toEqual({ ...named('#/properties/return/$defs/A'), ...DEFS });
    expect(await judged(schema, { const: 's' }, { const: 5 })).toEqual([true, false]);
  });
});
