import { IsInt } from 'class-validator';
import { z } from 'zod';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import { outputContract } from './output.contract.js';
import { outputSchema } from './output.schema.js';

class Total {
  @IsInt()
  total!: number;
}

describe('outputSchema', () => {
  it('takes a Standard Schema of any value, and gives out what it makes', async () => {
    const schema = outputSchema(z.coerce.number().int(), 'the output');
    expect(await schema.validate('4')).toEqual({ ok: true, value: 4 });
    expect(await schema.validate('four')).toMatchObject({ ok: false });
  });

  it('takes a DTO class, and gives out an instance', async () => {
    const schema = outputSchema(Total, 'the output');
    const checked = await schema.validate({ total: 4 });
    expect(checked.ok && checked.value).toBeInstanceOf(Total);
    expect(await schema.validate([{ total: 4 }])).toEqual({ ok: false, problems: ['return: must be an object'] });
    expect(await schema.validate({ total: 4, more: 1 })).toMatchObject({ ok: false });
  });

  it('takes raw JSON Schema of any value, and names the place of a problem', async () => {
    const schema = outputSchema({ type: 'array', items: { type: 'number' } }, 'the output');
    expect(await schema.validate([1, 2])).toEqual({ ok: true, value: [1, 2] });
    expect(await schema.validate([1, 'two'])).toEqual({ ok: false, problems: ['return[1]: must be number'] });
  });

  it('keeps references of the schema working where it is offered', async () => {
    const tree = {
      type: 'object',
      properties: { next: { $ref: '#' }, leaf: { $ref: '#/$defs/leaf' } },
      $defs: { leaf: { type: 'string' } },
      additionalProperties: false,
    };
    const schema = outputSchema(tree, 'the output');
    expect(schema.json['properties']).toEqual({
      next: { $ref: '#/properties/return' },
      leaf: { $ref: '#/properties/return/$defs/leaf' },
    });
    expect(await schema.validate({ next: { leaf: 'green' } })).toMatchObject({ ok: true });
    expect(await schema.validate({ next: { leaf: 7 } })).toMatchObject({ ok: false });
  });

  it.each([[undefined], ['number'], [class Undecorated {}], [{ type: 'numbr' }]])('refuses %p', (source) => {
    expect(() => outputSchema(source, 'the output')).toThrow(ConfigurationError);
  });
});

describe('outputContract', () => {
  it('offers raise only where it is allowed', () => {
    const offered = (allowRaise: boolean) =>
      Object.keys(outputContract({ schema: z.number(), allowRaise }, 'x').definition.parameters['properties'] ?? {});
    expect(offered(false)).toEqual(['return', 'returnCall']);
    expect(offered(true)).toEqual(['return', 'returnCall', 'raise']);
  });

  it('fills in the defaults, and is never gated', () => {
    const contract = outputContract({ schema: z.number() }, 'x');
    expect(contract).toMatchObject({ mode: 'tool', endStrategy: 'graceful', allowRaise: false, retries: undefined });
    expect(contract.definition).toMatchObject({ name: 'final_output', kind: 'output', gate: { gated: false } });
  });
});
