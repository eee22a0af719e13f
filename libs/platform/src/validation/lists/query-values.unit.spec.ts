import { clampedInteger, knownWord } from './query-values';

const days = { minimum: 1, maximum: 365, ifAbsent: 30 };

it.each<[string | undefined, number]>([
  [undefined, 30],
  ['365', 365],
  ['-7', 1],
  ['366', 365],
  ['007', 7],
  ['9'.repeat(400), 365],
])('the integer %s is moved into its range: %d', (text, value) =>
  expect(clampedInteger('days', text, days)).toBe(value),
);

it.each<[unknown]>([[''], ['1.5'], ['1e2'], ['0x10'], [' 7'], ['Infinity'], ['٧'], [['7', '7']], [{ a: '7' }]])(
  '%j is no integer',
  (text) => expect(() => clampedInteger('days', text, days)).toThrow('days must be one integer'),
);

it.each<[unknown]>([[''], ['Previous'], ['toString'], [['previous']]])('%j is no word of ours', (text) => {
  const words = ['previous', 'next'] as const;
  expect([knownWord('compare', 'next', words), knownWord('compare', undefined, words)]).toEqual(['next', undefined]);
  expect(() => knownWord('compare', text, words)).toThrow('compare must be one of: previous, next');
});
