import fc from 'fast-check';
import { published } from './schema-of';
import { hasTrimmedLength } from './field.decorators';

describe('published', () => {
  it('replaces our keyword at every depth and leaves the rest', () => {
    const schema = {
      $defs: { A: { properties: { name: { type: 'string', trimmedLength: { minimum: 1, maximum: 9 } } } } },
    };
    const name = published(schema).$defs.A.properties.name;
    expect(name).toEqual({ type: 'string', minLength: 1, pattern: expect.any(String) });
  });

  it.each([
    [0, 6],
    [1, 6],
    [1, 2],
    [2, 6],
    [3, 4],
  ])('accepts the same texts as %i to %i trimmed characters', (minimum, maximum) => {
    const { pattern } = published({ trimmedLength: { minimum, maximum } }) as { pattern?: string };
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', ' ', '﻿', '😀'), maxLength: 12 });
    fc.assert(
      fc.property(text, (written) => {
        expect(new RegExp(pattern!, 'u').test(written)).toBe(hasTrimmedLength(written, { minimum, maximum }));
      }),
      { numRuns: 500 },
    );
  });

  it('answers at once to a long text made to be slow', () => {
    const { pattern } = published({ trimmedLength: { minimum: 1, maximum: 200 } }) as { pattern?: string };
    const expression = new RegExp(pattern!, 'u');
    const hostile = [
      'a'.repeat(199) + ' '.repeat(130_000) + 'b',
      ' '.repeat(130_000),
      ('a' + ' '.repeat(99)).repeat(1_300),
    ];
    for (const text of hostile) expect(expression.test(text)).toBe(false);
  });
});
