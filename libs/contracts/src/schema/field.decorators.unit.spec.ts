import { plainToInstance } from 'class-transformer';
import { IsString, validateSync } from 'class-validator';
import fc from 'fast-check';
import {
  characterCount,
  hasTrimmedLength,
  isInstant,
  ListOf,
  MaxCharacters,
  Nested,
  nestedClass,
  TrimmedText,
} from './field.decorators';

class Label {
  @MaxCharacters(3) short: unknown;
  @TrimmedText(1, 3) name: unknown;
}

const failing = (fields: object) =>
  validateSync(plainToInstance(Label, { short: '', name: 'x', ...fields })).flatMap(({ constraints }) =>
    Object.keys(constraints ?? {}),
  );

describe('characterCount', () => {
  it('counts code points', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(characterCount(text)).toBe([...text].length);
      }),
    );
  });

  it.each([
    ['a lone high surrogate', '\ud83d', 1],
    ['a lone low one before a pair', '\ude00😀', 2],
    ['a variation selector', '❤️', 2],
  ])('%s', (_, text, count) => expect(characterCount(text)).toBe(count));
});

describe('MaxCharacters', () => {
  it.each(['', 'abc', '😀😀😀'])('takes %p', (short) => expect(failing({ short })).toEqual([]));
  it.each(['abcd', '😀😀😀😀', '❤️❤️', 5, null])('refuses %p', (short) =>
    expect(failing({ short })).toEqual(['maxCharacters']),
  );
});

describe('TrimmedText', () => {
  it.each(['a', ' abc\n', '\u00a0\ufeffabc\u2028', '😀😀😀'])('takes %p', (name) =>
    expect(failing({ name })).toEqual([]),
  );
  it.each(['', ' \t ', 'abcd', 'a  b', '😀😀😀😀'])('refuses %p', (name) =>
    expect(failing({ name })).toEqual(['trimmedLength']),
  );
  it('hands the text on without the white space around it', () => {
    expect(plainToInstance(Label, { name: '  a b ' }).name).toBe('a b');
  });
  it('does not make a text of something else', () => {
    expect(failing({ name: 5 })).toContain('isString');
  });
});

describe('hasTrimmedLength', () => {
  it('agrees with counting the trimmed characters', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '😀', '\ud800', '️'), maxLength: 14 });
    fc.assert(
      fc.property(text, fc.nat(3), fc.nat(6), (written, minimum, extra) => {
        const count = [...written.trim()].length;
        const maximum = minimum + extra;
        expect(hasTrimmedLength(written, { minimum, maximum })).toBe(count >= minimum && count <= maximum);
      }),
    );
  });
});

class Leaf {
  @IsString() name!: string;
}

class Tree {
  @Nested(() => Leaf) leaf!: Leaf;
  @ListOf(() => Leaf, { minimum: 1, maximum: 2 }) leaves!: Leaf[];
}

class TallTree extends Tree {
  @IsString() height!: string;
}

const leaf = { name: 'green' };

const accepts = (fields: object) =>
  validateSync(plainToInstance(Tree, { leaf, leaves: [leaf], ...fields })).length === 0;

describe('Nested', () => {
  it('takes an object of its class', () => expect(accepts({})).toBe(true));
  it.each([[[]], [[leaf]], [null], ['green'], [{}], [{ name: 5 }]])('refuses %j', (value) =>
    expect(accepts({ leaf: value })).toBe(false),
  );
});

describe('ListOf', () => {
  it('takes objects of its class', () => expect(accepts({ leaves: [leaf, leaf] })).toBe(true));
  it.each([[[]], [[[]]], [[[leaf]]], [[null]], [['green']], [[{}]], [leaf], [null], [[leaf, leaf, leaf]]])(
    'refuses %j',
    (value) => expect(accepts({ leaves: value })).toBe(false),
  );
});

describe('nestedClass', () => {
  it('finds own and inherited fields', () => {
    expect(nestedClass(Tree, 'leaf')).toBe(Leaf);
    expect(nestedClass(TallTree, 'leaves')).toBe(Leaf);
    expect(nestedClass(TallTree, 'height')).toBeUndefined();
  });
});

describe('isInstant', () => {
  it.each([
    '2026-01-31T12:00:00.000Z',
    '2026-01-31T12:00:00Z',
    '2024-02-29T23:59:59.123456+05:30',
    '2000-02-29T00:00:00-14:00',
  ])('takes %s', (text) => expect(isInstant(text)).toBe(true));

  it.each([
    '2026-02-30T12:00:00Z',
    '2025-02-29T12:00:00Z',
    '1900-02-29T12:00:00Z',
    '2026-04-31T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-00-10T12:00:00Z',
    '2026-01-00T12:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T12:60:00Z',
    '2026-01-31T12:00:60Z',
    '2026-01-31T12:00:00',
    '2026-01-31T12:00:00+24:00',
    '2026-01-31 12:00:00Z',
    '2026-01-31',
    'now',
    1769860800000,
    null,
  ])('refuses %p', (text) => expect(isInstant(text)).toBe(false));
});
