import { Random } from '@evenkeel/kernel/random';
import fc from 'fast-check';
import { noForecasts } from '../forecasts/forecasts';
import { type Block, bootstrap, FEWEST_BLOCKS } from './bootstrap';
import { Scored } from './scores';

interface Forecast {
  given: number;
  came: number;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function scoresOf(blocks: readonly (readonly Forecast[])[], weights = blocks.map(() => 1)) {
  const all = blocks.map((forecasts): Block => {
    const of = noForecasts('', '');
    of.given.engine.push(...forecasts.map(({ given }) => given));
    of.came.push(...forecasts.map(({ came }) => came));
    return { of, places: forecasts.map((_, place) => place) };
  });
  return new Scored(all, 'engine').scores(weights);
}

/** Every pair of an event and another, one by one. */
function naiveAuc(forecasts: readonly Forecast[]): number {
  const [events, others] = [1, 0].map((kind) => forecasts.filter(({ came }) => came === kind));
  return mean(events!.flatMap((event) => others!.map((other) => (1 + Math.sign(event.given - other.given)) / 2)));
}

const about = (value: number): unknown => (Number.isNaN(value) ? NaN : expect.closeTo(value, 9));

/** Many alike, on the borders of tenths too. */
const aForecast = fc.record({ given: fc.nat(40).map((step) => step / 40), came: fc.constantFrom(0, 1) });
const someBlocks = fc.array(fc.tuple(fc.array(aForecast, { maxLength: 12 }), fc.nat(3)), { maxLength: 8 });

it('each figure is what its definition says, of blocks as often as they weigh', () => {
  fc.assert(
    fc.property(someBlocks, (blocks) => {
      const drawn = blocks.flatMap(([block, weight]) => Array.from({ length: weight }, () => block).flat());
      const scores = scoresOf(
        blocks.map(([block]) => block),
        blocks.map(([, weight]) => weight),
      );
      expect(scores).toMatchObject({
        count: drawn.length,
        brier: about(mean(drawn.map(({ given, came }) => (given - came) ** 2))),
        mean: about(mean(drawn.map(({ given }) => given))),
        observed: about(mean(drawn.map(({ came }) => came))),
        auc: about(naiveAuc(drawn)),
      });
      scores.tenths.forEach((tenth, at) => {
        const own = drawn.filter(({ given }) => Math.min(9, Math.floor(Math.round(given * 1e4) / 1e3)) === at);
        expect([tenth.count, tenth.observed]).toEqual([own.length, about(mean(own.map(({ came }) => came)))]);
      });
    }),
    { numRuns: 300 },
  );
});

describe('an interval by drawing', () => {
  const meanOf = (values: readonly number[]) => (weights: Float64Array) =>
    new Map([['mean', values.reduce((total, value, i) => total + weights[i]! * value, 0) / values.length]]);

  it('draws the same for the same seed, and otherwise for another', () => {
    const values = Array.from({ length: 20 }, (_, i) => i);
    const draw = (seed: number) => JSON.stringify([...bootstrap(values.length, seed, meanOf(values))]);
    expect(draw(1)).toBe(draw(1));
    expect(draw(2)).not.toBe(draw(1));
  });

  it('holds the truth about as often as it says', () => {
    const worlds = Array.from({ length: 400 }, (_, world) => {
      const random = new Random(world);
      // Half of the blocks of a coin: the mean is 0.5.
      const values = Array.from({ length: 40 }, () => Math.round(random.ratio()));
      const { low, high } = bootstrap(values.length, world, meanOf(values)).get('mean')!;
      return low! <= 0.5 && high! >= 0.5 ? 1 : 0;
    });
    expect(mean(worlds)).toBeGreaterThan(0.9);
    expect(mean(worlds)).toBeLessThan(0.99);
  });

  it('gives no interval from few blocks, nor where the figure mostly does not exist', () => {
    const values = Array.from({ length: FEWEST_BLOCKS - 1 }, (_, i) => i);
    expect(bootstrap(values.length, 1, meanOf(values)).get('mean')).toEqual({ value: 3, low: null, high: null });
    const rare = bootstrap(20, 1, (weights) => new Map([['rare', weights[0]! > 0 ? 1 : NaN]])).get('rare');
    expect(rare).toEqual({ value: 1, low: null, high: null });
  });
});
