import { bootstrap, FEWEST_BLOCKS } from './bootstrap';
import { Random } from '@evenkeel/kernel/random';

const meanOf = (values: readonly number[]) => (weights: Float64Array) => {
  const sum = values.reduce((total, value, i) => total + weights[i]! * value, 0);
  return new Map([['mean', sum / weights.reduce((total, weight) => total + weight, 0)]]);
};

it('draws the same for the same seed, and otherwise for another', () => {
  const values = Array.from({ length: 20 }, (_, i) => i);
  const draw = (seed: number) => JSON.stringify([...bootstrap(values.length, seed, meanOf(values))]);
  expect(draw(1)).toBe(draw(1));
  expect(draw(2)).not.toBe(draw(1));
});

it('holds the truth about as often as it says', () => {
  let held = 0;
  const worlds = 400;
  for (let world = 0; world < worlds; world++) {
    const random = new Random(world);
    // Half of the blocks of a coin: the mean is 0.5.
    const values = Array.from({ length: 40 }, () => Math.round(random.ratio()));
    const { low, high } = bootstrap(values.length, world, meanOf(values)).get('mean')!;
    if (low! <= 0.5 && high! >= 0.5) held++;
  }
  expect(held / worlds).toBeGreaterThan(0.9);
  expect(held / worlds).toBeLessThan(0.99);
});

it('gives no interval from few blocks, nor where the figure mostly does not exist', () => {
  const values = Array.from({ length: FEWEST_BLOCKS - 1 }, (_, i) => i);
  expect(bootstrap(values.length, 1, meanOf(values)).get('mean')).toEqual({ value: 3, low: null, high: null });
  const rare = bootstrap(20, 1, (weights) => new Map([['rare', weights[0]! > 0 ? 1 : NaN]])).get('rare');
  expect(rare).toEqual({ value: 1, low: null, high: null });
});
