import type { StandardSchemaV1 } from '@standard-schema/spec';
import { z } from 'zod';
import { standardJsonSchema } from './standard.json-schema.js';

const of = (vendor: string, more: object = {}, around: object = {}): StandardSchemaV1 =>
  ({ '~standard': { version: 1, vendor, validate: () => ({ value: 1 }), ...more }, ...around }) as never;

describe('standardJsonSchema', () => {
  it('asks the standard’s own converter for what goes in, and leaves the dialect out', () => {
    const asked: unknown[] = [];
    const input = (options: unknown) => {
      asked.push(options);
      return { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' };
    };
    expect(standardJsonSchema(of('valibot', { jsonSchema: { input } }), 'Desk#refund')).toEqual({ type: 'object' });
    expect(asked).toEqual([{ target: 'draft-2020-12', libraryOptions: undefined }]);
  });

  it('asks a zod that is older than the standard’s converter in its own way', () => {
    const toJSONSchema = ({ io }: { io: string }) => ({ $schema: 'any', type: 'object', title: io });
    expect(standardJsonSchema(of('zod', {}, { toJSONSchema }), 'Desk#refund')).toEqual({
      type: 'object',
      title: 'input',
    });
  });

  it.each([
    ['another library without a converter', of('arktype', {}, { toJSONSchema: () => ({}) })],
    ['a zod without one', of('zod')],
  ])('refuses %s, and says what to do', (_, schema) => {
    expect(() => standardJsonSchema(schema, 'Desk#refund')).toThrow(
      /^Desk#refund: its (arktype|zod) schema cannot describe itself as JSON Schema .* pass parameters as raw JSON Schema\.$/,
    );
  });

  it('writes what coercion takes in as text', () => {
    const schema = z.object({ at: z.coerce.date(), amount: z.coerce.bigint(), on: z.array(z.coerce.date()) });
    expect(standardJsonSchema(schema, 'Desk#refund')).toMatchObject({
      properties: {
        at: { type: 'string', format: 'date-time' },
        amount: { type: 'string', pattern: '^-?[0-9]+$' },
        on: { type: 'array', items: { type: 'string', format: 'date-time' } },
      },
    });
  });

  it.each([
    ['a date', z.object({ at: z.date() })],
    ['a bigint', z.object({ amount: z.bigint() })],
    ['a map', z.object({ by: z.map(z.string(), z.string()) })],
  ])('refuses what could never arrive as JSON: %s', (_, schema) => {
    expect(() => standardJsonSchema(schema, 'Desk#refund')).toThrow(
      /^Desk#refund: its zod schema cannot be written as JSON Schema: .* convert it with a transform\.$/s,
    );
  });
});
