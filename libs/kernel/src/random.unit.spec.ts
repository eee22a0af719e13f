import { Random } from './random';

describe('Random', () => {
  it('repeats itself for a seed, and only for that', () => {
    const numbers = (seed: number) => {
      const random = new Random(seed);
      return Array.from({ length: 100 }, () => random.bits());
    };
    expect(numbers(7)).toEqual(numbers(7));
    expect(numbers(7)).not.toEqual(numbers(8));
    expect(new Set([...numbers(7), ...numbers(8), ...numbers(9)]).size).toBe(300);
  });

  it('is spread evenly', () => {
    const random = new Random(1);
    const counts = Array<number>(10).fill(0);
    for (let draw = 0; draw < 100_000; draw++) counts[random.below(10)]!++;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});
