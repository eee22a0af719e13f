import { LOAD_MIX, REQUEST_KINDS, scaledMix, STEADY_MIX, type Mix } from './mix';

const sumOf = (mix: Mix) => Object.values(mix).reduce((sum, rate) => sum + rate, 0);

it('the steady mix has every kind, and 50 requests a second', () => {
  expect(Object.keys(STEADY_MIX).sort()).toEqual([...REQUEST_KINDS].sort());
  expect(sumOf(STEADY_MIX)).toBe(50);
});

it('another sum keeps the shares', () => {
  const half = scaledMix(LOAD_MIX, sumOf(LOAD_MIX) / 2);
  expect(half).toEqual({ discovery: 1_000, challenge: 750, credit: 150, login: 7.5, webhook: 150 });
});
