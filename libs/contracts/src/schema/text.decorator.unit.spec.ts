import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { plainToInstance } from 'class-transformer';
import { characterCount, hasTrimmedLength, MaxCharacters, TrimmedText } from './field.decorators';

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
