import { strongestDrivers } from './strongest-drivers';

const CODES = ['a', 'b', 'c', 'd', 'e'] as const;

describe('strongestDrivers', () => {
  it.each([
    [
      [0.3, 0.1, 0.2, 0, 0],
      ['a', 'c', 'b'],
    ],
    [
      [0.1, 0.2, 0.3, 0.4, 0.5],
      ['e', 'd', 'c'],
    ],
    [
      [0.5, 0.4, 0.3, 0.2, 0.1],
      ['a', 'b', 'c'],
    ],
    [
      [0.1, 0.2, 0.1, 0.2, 0.1],
      ['b', 'd', 'a'],
    ],
    [
      [0.100_04, 0.100_01, 0.100_02, 0, 0],
      ['a', 'b', 'c'],
    ],
    [[0.009_949, 0.009_951, 0, -0.5, 0], ['b']],
    [[-1, 0, 0, 0, 0], []],
  ])('of %j', (terms, drivers) => {
    expect(strongestDrivers(CODES, terms)).toEqual(drivers);
  });
});
