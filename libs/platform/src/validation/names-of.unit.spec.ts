import { namesOf, unknownNames } from './names-of';

const withNames = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 0]));

describe('namesOf', () => {
  it.each([0, 1, 255, 256, 9_000])('lists %i names as Object.keys does, however often it is asked', (count) => {
    const value = withNames(count);
    expect(namesOf(value)).toEqual(Object.keys(value));
    expect(namesOf(value)).toEqual(Object.keys(value));
  });

  it('lists many names once', () => {
    const value = withNames(9_000);
    expect(namesOf(value)).toBe(namesOf(value));
  });
});

describe('unknownNames', () => {
  const known = new Set(['n1', 'toString']);

  it.each([0, 1, 2, 9_000])('leaves the known ones of %i names out, listed before or not', (count) => {
    const value = withNames(count);
    const unknown = Object.keys(value).filter((name) => name !== 'n1');
    expect(unknownNames(value, known)).toEqual(unknown);
    namesOf(value);
    expect(unknownNames(value, known)).toEqual(unknown);
  });
});
