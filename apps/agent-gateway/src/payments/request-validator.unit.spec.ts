import { ListOf, Nested, Optional, TrimmedText } from '@evenkeel/contracts';
import { IsInt } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { RequestValidator } from './request-validator';

@JSONSchema({ additionalProperties: true })
class Item {
  @TrimmedText(1, 20) name!: string;
  @Optional() @IsInt() least?: number;
  @Optional() @IsInt() most?: number;
}

class Order {
  @ListOf(() => Item, { minimum: 1, maximum: 3 }) items!: Item[];
  @Optional() @TrimmedText(0, 9) label?: string;
}

class OneItem {
  @Nested(() => Item) item!: Item;
}

const item = { name: 'tea' };
const validator = new RequestValidator([Order, OneItem], {
  itemWarning: ({ least, most }) => ((least as number) > (most as number) ? 'least is above most.' : undefined),
});

it.each([{ items: [item], label: 'x' }, { item }, { items: [{ ...item, colour: 'red' }] }])('takes %j', (body) =>
  expect(validator.check(body)).toEqual({ valid: true }),
);

it.each([
  [null, '', 'wrong_type'],
  [{ items: [{ name: '' }] }, '/items/0/name', 'too_short'],
  [{ items: [item], strange: 1 }, '/strange', 'unknown_property'],
  [{ item, label: 'x' }, '/label', 'unknown_property'],
  [{}, '/items', 'required'],
  [{ item, items: [item] }, '/item', 'conflict'],
])('explains what it refuses: %j', (body, path, code) =>
  expect(validator.check(body)).toMatchObject({ valid: false, issues: [{ path, code }] }),
);

it('warns of each unknown property of an item, then of what the caller of the validator warns of', () => {
  const items = [item, { x: 1, ...item, least: 3, 'a "b"': 2, most: 2 }, { ...item, least: 2 }];
  expect(validator.warnings({ items })).toEqual([
    'items[1]: unknown property "x" ignored.',
    'items[1]: unknown property "a \\"b\\"" ignored.',
    'items[1]: least is above most.',
  ]);
  const one = { item: { ...item, toString: 1 } };
  expect(validator.warnings(one)).toEqual(['item: unknown property "toString" ignored.']);
});

it('counts the warnings after a hundred', () => {
  const strange = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x${index}`, 0]));
  const warnings = validator.warnings({ items: [{ ...item, ...strange }, item] });
  expect(warnings.slice(99)).toEqual(['items[0]: unknown property "x99" ignored.', '50 more warnings, not listed.']);
});

it('gives the engine a trimmed copy', () => {
  const body = { items: [{ name: '\ttea\u00a0', least: 1, colour: 'red' }], label: ' x ' };
  const before = structuredClone(body);
  expect(validator.input(body)).toEqual({ items: [{ name: 'tea', least: 1, colour: 'red' }], label: 'x' });
  expect(validator.input({ item: { name: ' tea ' } })).toEqual({ item });
  expect(body).toEqual(before);
});
