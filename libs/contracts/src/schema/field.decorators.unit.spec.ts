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
  TrimmedText,
} from './field.decorators';

class Leaf {
  @IsString() name!: string;
}

class Tree {
  @MaxCharacters(3) short: unknown;
  @TrimmedText(1, 3) name: unknown;
  @Nested(() => Leaf) leaf!: Leaf;
  @ListOf(() => Leaf, { minimum: 1, maximum: 2 }) leaves!: Leaf[];
}

const leaf = { name: 'green' };
const accepts = (fields: object) =>
  validateSync(plainToInstance(Tree, { short: '', name: 'x', leaf, leaves: [leaf], ...fields })).length === 0;

it.each<[keyof Tree, readonly unknown[], readonly unknown[]]>([
  ['short', ['', 'abc', '😀😀😀'], ['abcd', '😀😀😀😀', '❤️❤️', 5, null]],
  ['name', ['a', ' abc\n', '\u00a0\ufeffabc\u2028', '😀😀😀'], ['', ' \t ', 'abcd', 'a  b', '😀😀😀😀', 5]],
  ['leaf', [leaf], [[], [leaf], null, 'green', {}, 5]],
  ['leaves', [[leaf, leaf]], [[], [[]], [[leaf]], [null], ['green'], [{}], leaf, null, [leaf, leaf, leaf]]],
])('%s takes what fits, and nothing else', (field, good, bad) => {
  expect(good.filter((value) => !accepts({ [field]: value }))).toEqual([]);
  expect(bad.filter((value) => accepts({ [field]: value }))).toEqual([]);
});

it('a trimmed text goes on without the white space around it', () => {
  expect(plainToInstance(Tree, { name: '  a b ' }).name).toBe('a b');
});

it('characters are code points, with or without the white space around them', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => expect(characterCount(text)).toBe([...text].length)));
  const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '😀', '\ud800', '\ufe0f'), maxLength: 14 });
  fc.assert(
    fc.property(text, fc.nat(3), fc.nat(6), (written, minimum, extra) => {
      const count = [...written.trim()].length;
      const maximum = minimum + extra;
      expect(hasTrimmedLength(written, { minimum, maximum })).toBe(count >= minimum && count <= maximum);
    }),
  );
});

it.each(['2026-01-31T12:00:00Z', '2024-02-29T23:59:59.123456+05:30', '2000-02-29T00:00:00-14:00'])(
  '%s is an instant',
  (text) => expect(isInstant(text)).toBe(true),
);

it.each([
  '2026-02-30T12:00:00Z',
  '1900-02-29T12:00:00Z',
  '2026-04-31T12:00:00Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T12:00:60Z',
  '2026-01-31T12:00:00',
  '2026-01-31',
  1769860800000,
  null,
])('%p is no instant', (text) => expect(isInstant(text)).toBe(false));
