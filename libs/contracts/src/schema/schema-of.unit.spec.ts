import { Type } from 'class-transformer';
import { IsIn, IsInt, IsString, IsUUID, Max, Min, ValidateNested } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Instant, ListOf, MaxCharacters, Nested, Nullable, Optional } from './field.decorators';
import { schemaOf } from './schema-of';

@JSONSchema({ additionalProperties: true })
class Item {
  @IsString() name!: string;
}

class Body {
  @Max(9) @Min(1) @IsInt() count!: number;
  @ListOf(() => Item, { minimum: 1, maximum: 3 }) items!: Item[];
  @Optional() @IsString() note?: string;
  @Nullable() @Instant() at!: string | null;
  @Nullable() @Nested(() => Item) item!: Item | null;
  @Nullable() @IsIn(['a', 'b']) kind!: 'a' | 'b' | null;
  @Optional() @Nullable() @IsInt() size?: number | null;
  @Optional() @IsString({ each: true }) @MaxCharacters(3, { each: true }) tags?: string[];
}

class Chain {
  @IsUUID() id!: string;
  @Optional() @Nested(() => Chain) next?: Chain;
}

describe('schemaOf', () => {
  it('says what the decorators say, whatever their order', () => {
    expect(schemaOf(Body, { closed: true })).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        count: { type: 'integer', minimum: 1, maximum: 9 },
        items: { type: 'array', minItems: 1, maxItems: 3, items: { $ref: '#/$defs/Item' } },
        note: { type: 'string' },
        at: { type: ['string', 'null'], format: 'date-time' },
        item: { anyOf: [{ $ref: '#/$defs/Item' }, { type: 'null' }] },
        kind: { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
        size: { type: ['integer', 'null'] },
        tags: { type: 'array', items: { type: 'string', maxLength: 3 } },
      },
      required: ['count', 'items', 'at', 'item', 'kind'],
      additionalProperties: false,
      $defs: {
        Item: {
          type: 'object',
          properties: { name: { type: 'string' } },
          required: ['name'],
          additionalProperties: true,
        },
      },
    });
  });

  it('says nothing of other properties when it is not closed', () => {
    expect(schemaOf(Body, { closed: false })).not.toHaveProperty('additionalProperties');
  });

  it('offers one of several forms', () => {
    const { oneOf, $defs } = schemaOf([Body, Chain], { closed: true });
    expect(oneOf).toEqual([{ $ref: '#/$defs/Body' }, { $ref: '#/$defs/Chain' }]);
    expect(Object.keys($defs)).toEqual(['Body', 'Item', 'Chain']);
  });

  it('ends where a class holds itself', () => {
    expect(schemaOf([Chain, Item], { closed: true }).$defs.Chain!.properties).toEqual({
      id: { type: 'string', format: 'uuid' },
      next: { $ref: '#/$defs/Chain' },
    });
  });

  it('refuses a nested field whose class it cannot know', () => {
    class Loose {
      @ValidateNested() @Type(() => Item) item!: Item;
    }
    expect(() => schemaOf(Loose, { closed: true })).toThrow('item needs @Nested or @ListOf');
  });
});
