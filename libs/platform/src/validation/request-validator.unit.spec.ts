import { ListOf, Nested, Optional, TrimmedText } from '@evenkeel/contracts';
import { IsInt, IsString } from 'class-validator';
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

@JSONSchema({ additionalProperties: true })
class Letter {
  @IsString() text!: string;
}

const item = { name: 'tea' };
const validator = new RequestValidator([Order, OneItem], {
  itemWarning: ({ least, most }) => ((least as number) > (most as number) ? 'least is above most.' : undefined),
});

describe('check', () => {
  it('takes each form of the body', () => {
    expect([{ items: [item], label: 'x' }, { item }].map((body) => validator.check(body))).toEqual(
      Array(2).fill({ valid: true }),
    );
  });

  it.each([
    [null, '', 'wrong_type'],
    [{ items: [{ name: '' }] }, '/items/0/name', 'too_short'],
    [{ items: [item], strange: 1 }, '/strange', 'unknown_property'],
    [{ item, label: 'x' }, '/label', 'unknown_property'],
    [{ item, items: [item] }, '/item', 'conflict'],
  ])('explains what it refuses: %j', (body, path, code) =>
    expect(validator.check(body)).toMatchObject({ valid: false, issues: [{ path, code }] }),
  );

  it('explains what it refuses among thousands of names', () => {
    const strange = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`x${index}`, 0]));
    expect(validator.check({ items: [{ name: '' }], ...strange })).toMatchObject({
      valid: false,
      issues: [{ path: '/items/0/name' }, ...Array.from({ length: 99 }, (_, index) => ({ path: `/x${index}` }))],
    });
  });

  it('takes unknown properties where the class does', () => {
    expect(validator.check({ items: [{ ...item, colour: 'red' }] })).toEqual({ valid: true });
    expect(new RequestValidator([Letter]).check({ text: 'x', colour: 'red' })).toEqual({ valid: true });
  });
});

describe('warnings', () => {
  it('name each unknown property, then what the caller of the validator warns of', () => {
    const items = [item, { x: 1, ...item, least: 3, 'a "b"': 2, most: 2 }, { ...item, least: 2 }];
    expect(validator.warnings({ items })).toEqual([
      'items[1]: unknown property "x" ignored.',
      'items[1]: unknown property "a \\"b\\"" ignored.',
      'items[1]: least is above most.',
    ]);
    expect(validator.warnings({ item: { ...item, toString: 1 } })).toEqual([
      'item: unknown property "toString" ignored.',
    ]);
    expect(new RequestValidator([OneItem]).warnings({ item: { ...item, least: 2, most: 1 } })).toEqual([]);
  });

  it('count what comes after a hundred', () => {
    const strange = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`x${index}`, 0]));
    const warnings = validator.warnings({
      items: [
        { ...item, ...strange },
        { ...item, least: 3, most: 2 },
      ],
    });
    expect(warnings).toHaveLength(101);
    expect(warnings.slice(99)).toEqual(['items[0]: unknown property "x99" ignored.', '51 more warnings, not listed.']);
  });
});

describe('input', () => {
  it('is the body itself when nothing is to trim', () => {
    const body = { items: [item, { ...item, colour: 'red' }], label: 'x' };
    expect(validator.input(body)).toBe(body);
  });

  it('is a copy, trimmed, that shares what is unchanged', () => {
    const body = {
      items: [
        { ...item, colour: 'red' },
        { name: '\ttea\u00a0', least: 1, colour: 'red' },
      ],
      label: ' x ',
    };
    const before = structuredClone(body);
    const input = validator.input(body) as typeof body;
    expect(input).toEqual({
      items: [
        { ...item, colour: 'red' },
        { name: 'tea', least: 1, colour: 'red' },
      ],
      label: 'x',
    });
    expect(input.items[0]).toBe(body.items[0]);
    expect(body).toEqual(before);
    expect(validator.input({ item: { name: ' tea ' } })).toEqual({ item });
  });
});
