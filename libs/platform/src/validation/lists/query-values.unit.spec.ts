import { clampedInteger, knownWord } from './query-values';

const days = { minimum: 1, maximum: 365, ifAbsent: 30 };

describe('an integer of a query', () => {
  it.each<[string | undefined, number]>([
    [undefined, 30],
    ['1', 1],
    ['365', 365],
    ['0', 1],
    ['-7', 1],
    ['-0', 1],
    ['366', 365],
    ['007', 7],
    ['9'.repeat(400), 365],
  ])('%s is %d', (text, value) => expect(clampedInteger('days', text, days)).toBe(value));

  it.each<[unknown]>([
    [''],
    [' '],
    ['1.5'],
    ['7.0'],
    ['1e2'],
    ['0x10'],
    ['+7'],
    [' 7'],
    ['7 '],
    ['seven'],
    ['NaN'],
    ['Infinity'],
    ['٧'],
    [['7', '7']],
    [{ a: '7' }],
  ])('%j is refused', (text) => expect(() => clampedInteger('days', text, days)).toThrow('days must be one integer'));
});

describe('a word of a query', () => {
  const words = ['previous', 'next'] as const;

  it('is one of ours, or absent', () => {
    expect(knownWord('compare', 'next', words)).toBe('next');
    expect(knownWord('compare', undefined, words)).toBeUndefined();
  });

  it.each<[unknown]>([[''], ['Previous'], ['previous '], ['toString'], [['previous']]])('%j is refused', (text) =>
    expect(() => knownWord('compare', text, words)).toThrow('compare must be one of: previous, next'),
  );
});
