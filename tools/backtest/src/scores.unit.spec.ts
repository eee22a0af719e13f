import { Random } from '@evenkeel/kernel/random';
import fc from 'fast-check';
import type { Forecast } from './forecasts';
import { bootstrap, FEWEST_BLOCKS, scorer } from './scores';

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Every pair of an event and another, one by one. */
function naiveAuc(forecasts: readonly Forecast[]): number {
  const [events, others] = [1, 0].map((kind) => forecasts.filter(({ came }) => came === kind));
  return mean(events!.flatMap((event) => others!.map((other) => (1 + Math.sign(event.engine - other.engine)) / 2)));
}

const about = (value: number): unknown => (Number.isNaN(value) ? NaN : expect.closeTo(value, 9));

/** Many alike, on the borders of tenths too. */
const aForecast = fc
  .record({ engine: fc.nat(40).map((step) => step / 40), came: fc.constantFrom(0 as const, 1 as const) })
  .map((said): Forecast => ({ ...said, day: 0, known: 0, share: 0, strength: 0 }));
const someBlocks = fc.array(fc.tuple(fc.array(aForecast, { maxLength: 12 }), fc.nat(3)), { maxLength: 8 });

it('each figure is what its definition says, of blocks as often as they weigh', () => {
  fc.assert(
    fc.property(someBlocks, (blocks) => {
      const drawn = blocks.flatMap(([block, weight]) => Array.from({ length: weight }, () => block).flat());
      const scoresOf = scorer(
        blocks.map(([block]) => block),
        'engine',
      );
      const { tenths, ...scores } = scoresOf(blocks.map(([, weight]) => weight));
      expect(scores).toEqual({
        brier: about(mean(drawn.map(({ engine, came }) => (engine - came) ** 2))),
        mean: about(mean(drawn.map(({ engine }) => engine))),
        observed: about(mean(drawn.map(({ came }) => came))),
        auc: about(naiveAuc(drawn)),
      });
      tenths.forEach(({ count, observed }, at) => {
        const own = drawn.filter(({ engine }) => Math.min(9, Math.floor(Math.round(engine * 1e4) / 1e3)) === at);
        expect([count, observed]).toEqual([own.length, about(mean(own.map(({ came }) => came)))]);
      });
    }),
    { numRuns: 300 },
  );
});

const meanOf = (values: readonly number[]) => (weights: Float64Array) => [
  values.reduce((total, value, i) => total + weights[i]! * value, 0) / values.length,
];

it('an interval holds the truth about as often as it says', () => {
  const worlds = Array.from({ length: 400 }, (_, world) => {
    const random = new Random(world);
    // Half of the blocks of a coin: the mean is 0.5.
    const values = Array.from({ length: 40 }, () => Math.round(random.ratio()));
    const { low, high } = bootstrap(values.length, world, meanOf(values))[0]!;
    return low! <= 0.5 && high! >= 0.5 ? 1 : 0;
  });
  expect(mean(worlds)).toBeGreaterThan(0.9);
  expect(mean(worlds)).toBeLessThan(0.99);
});

it('no interval comes from few blocks, nor where the figure mostly does not exist', () => {
  const values = Array.from({ length: FEWEST_BLOCKS - 1 }, (_, i) => i);
  expect(bootstrap(values.length, 1, meanOf(values))).toEqual([{ value: 3, low: null, high: null }]);
  const rare = bootstrap(20, 1, (weights) => [weights[0]! > 0 ? 1 : NaN]);
  expect(rare).toEqual([{ value: 1, low: null, high: null }]);
});
