import { Type } from 'class-transformer';
import { IsIn, IsInt, IsString, IsUUID, Max, Min, ValidateNested } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import fc from 'fast-check';
import { componentOf, componentSchemas } from '../openapi/open-api';
import { hasTrimmedLength, Instant, ListOf, MaxCharacters, Nested, Nullable, Optional } from './field.decorators';
import { TrimmedText } from './field.decorators';
import { published, schemaOf } from './schema-of';

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
  @Optional() @TrimmedText(1, 9) label?: string;
  @Optional() @Nested(() => Chain) next?: Chain;
}

const properties = {
  count: { type: 'integer', minimum: 1, maximum: 9 },
  items: { type: 'array', minItems: 1, maxItems: 3, items: { $ref: '#/$defs/Item' } },
  note: { type: 'string' },
  at: { type: ['string', 'null'], format: 'date-time' },
  item: { anyOf: [{ $ref: '#/$defs/Item' }, { type: 'null' }] },
  kind: { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] },
  size: { type: ['integer', 'null'] },
  tags: { type: 'array', items: { type: 'string', maxLength: 3 } },
};
const required = ['count', 'items', 'at', 'item', 'kind'];
const itemSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

it('a schema says what the decorators say, whatever their order', () => {
  const $schema = 'https://json-schema.org/draft/2020-12/schema';
  const $defs = { Item: { ...itemSchema, additionalProperties: true } };
  const body = { $schema, type: 'object', properties, required, $defs };
  expect(schemaOf(Body, { closed: true })).toEqual({ ...body, additionalProperties: false });
  expect(schemaOf(Body, { closed: false })).toEqual(body);
});

it('a schema may offer one of several forms, and of classes that hold themselves', () => {
  const { oneOf, $defs } = schemaOf([Body, Chain], { closed: true });
  expect(oneOf).toEqual([{ $ref: '#/$defs/Body' }, { $ref: '#/$defs/Chain' }]);
  expect(Object.keys($defs)).toEqual(['Body', 'Item', 'Chain']);
  expect($defs.Chain!.properties).toMatchObject({ id: { format: 'uuid' }, next: { $ref: '#/$defs/Chain' } });
});

it('a nested field whose class cannot be known is refused', () => {
  class Loose {
    @ValidateNested() @Type(() => Item) item!: Item;
  }
  expect(() => schemaOf(Loose, { closed: true })).toThrow('item needs @Nested or @ListOf');
});

it('components are in standard keywords, and refer to one another by the names of their classes', () => {
  const schemas = componentSchemas([Body, Chain], { closed: true });
  expect(Object.keys(schemas).sort()).toEqual(['Body', 'Chain', 'Item']);
  expect(schemas['Body']!.properties!['items']!.items).toEqual(componentOf(Item));
  expect(schemas['Chain']!.properties!['label']).toMatchObject({ type: 'string', pattern: expect.any(String) });
  expect(JSON.stringify(schemas)).not.toMatch(/trimmedLength|\$schema|\$defs/);
});

it.each([
  [0, 6],
  [1, 6],
  [1, 2],
  [2, 6],
  [3, 4],
])('the published pattern takes the same texts as %i to %i trimmed characters', (minimum, maximum) => {
  const { pattern } = published({ trimmedLength: { minimum, maximum } }) as { pattern?: string };
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', ' ', '\ufeff', '😀'), maxLength: 12 });
  fc.assert(
    fc.property(text, (written) => {
      expect(new RegExp(pattern!, 'u').test(written)).toBe(hasTrimmedLength(written, { minimum, maximum }));
    }),
    { numRuns: 500 },
  );
});

it('the published pattern answers at once to a long text made to be slow', () => {
  const { pattern } = published({ trimmedLength: { minimum: 1, maximum: 200 } }) as { pattern?: string };
  const expression = new RegExp(pattern!, 'u');
  const blanks = ' '.repeat(130_000);
  const hostile = [`${'a'.repeat(199)}${blanks}b`, blanks, `a${' '.repeat(99)}`.repeat(1_300)];
  for (const text of hostile) expect(expression.test(text)).toBe(false);
});
