import { Type } from 'class-transformer';
import {
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsDate,
  IsEnum,
  IsInt,
  IsOptional,
  IsString,
  Min,
  ValidateNested,
} from 'class-validator';
import type { JsonSchema, JsonValue } from '../../contracts/json.js';
import { argumentSchema } from './argument.schemas.js';

const of = (source: unknown) => argumentSchema({ label: 'Orders#refund', source, length: 1 });
const check = async (source: unknown, value: JsonValue) => {
  const result = await of(source).validate(value);
  return result.ok ? result.value : result.problems;
};

enum Level {
  Low = 1,
  High = 2,
}

class Item {
  @IsString()
  sku!: string;
}

class Base {
  @IsString()
  id!: string;
}

class Order extends Base {
  @IsInt()
  @Min(1)
  amount!: number;

  @IsOptional()
  @IsBoolean()
  urgent?: boolean;

  @IsEnum(Level)
  level!: Level;

  @IsArray()
  @ArrayMinSize(1)
  @ValidateNested({ each: true })
  @Type(() => Item)
  items!: Item[];
}

const order = { id: 'o1', amount: 5, level: 2, items: [{ sku: 'a' }] };

describe('a DTO class', () => {
  it('describes itself, parents and nested classes included, and allows nothing else', () => {
    expect(of(Order).json).toEqual({
      type: 'object',
      additionalProperties: false,
      properties: {
        id: { type: 'string' },
        amount: { type: 'integer', minimum: 1 },
        urgent: { type: 'boolean' },
        level: { enum: [1, 2] },
        items: { type: 'array', minItems: 1, items: { $ref: '#/$defs/Item' } },
      },
      required: expect.arrayContaining(['id', 'amount', 'level', 'items']),
      $defs: {
        Item: {
          type: 'object',
          additionalProperties: false,
          properties: { sku: { type: 'string' } },
          required: ['sku'],
        },
      },
    });
    expect((of(Order).json['required'] as string[]).length).toBe(4);
  });

  it('two nested classes of one name do not meet', () => {
    const other = () => {
      class Item {
        @IsInt()
        count!: number;
      }
      return Item;
    };
    const Other = other();
    class Both {
      @ValidateNested() @Type(() => Item) one!: Item;
      @ValidateNested() @Type(() => Other) two!: object;
    }
    const { properties, $defs } = of(Both).json as {
      properties: JsonSchema;
      $defs: Record<string, { properties: JsonSchema }>;
    };
    expect(properties).toEqual({ one: { $ref: '#/$defs/Item' }, two: { $ref: '#/$defs/Item2' } });
    expect([$defs['Item']?.properties, $defs['Item2']?.properties]).toEqual([
      { sku: { type: 'string' } },
      { count: { type: 'integer' } },
    ]);
  });

  it('a class that contains itself ends', () => {
    class Tree {
      @IsOptional() @ValidateNested() @Type(() => Tree) child?: Tree;
    }
    expect(of(Tree).json['$defs']).toHaveProperty('Tree');
  });

  it('gives instances', async () => {
    const value = (await check(Order, order)) as Order;
    expect([value instanceof Order, value.items[0] instanceof Item]).toEqual([true, true]);
    expect({ ...value, items: value.items.map((item) => ({ ...item })) }).toEqual(order);
  });

  it('names places, never values, and refuses what it does not know', async () => {
    expect(await check(Order, { ...order, amount: 'SECRET', items: [{ sku: 5 }], extra: 'SECRET' })).toEqual([
      'extra: property extra should not exist',
      'amount: amount must not be less than 1',
      'amount: amount must be an integer number',
      'items[0].sku: sku must be a string',
    ]);
  });

  it('converts nothing by itself: "false" is not true', async () => {
    expect(await check(Order, { ...order, urgent: 'false' })).toEqual(['urgent: urgent must be a boolean value']);
  });

  it('an unknown member with a name of 200 KiB is answered briefly', async () => {
    const [problem = ''] = (await check(Order, { ...order, ['x'.repeat(200_000)]: 1 })) as string[];
    expect(problem.length).toBeLessThanOrEqual(300);
  });

  it('is made again from its validated JSON', () => {
    class When {
      @IsDate() @Type(() => Date) at!: Date;
    }
    expect(of(When).revive?.({ at: '2026-01-02T03:04:05.000Z' })).toEqual(
      Object.assign(new When(), { at: new Date('2026-01-02T03:04:05.000Z') }),
    );
  });

  it('without any decorator it is refused: nothing could be checked', () => {
    class Bare {
      id!: string;
    }
    expect(() => of(Bare)).toThrow(
      'Orders#refund: Bare has no class-validator decorators, so nothing could be checked.',
    );
  });

  it('a nested member of unknown class is refused', () => {
    class Loose {
      @ValidateNested({ each: true })
      items!: unknown[];
    }
    expect(() => of(Loose)).toThrow(
      'Orders#refund: Loose.items is nested, but nobody knows its class. Add @Type(() => TheClass)',
    );
  });
});
