import { Random } from '@evenkeel/kernel/random';
import fc from 'fast-check';
import { bootstrap, FEWEST_BLOCKS } from './bootstrap';
import { Ranking } from './ranking';
import * as tallies from './tallies';

describe('tallies', () => {
  const aForecast = fc.tuple(
    fc.nat(10_000).map((step) => step / 10_000),
    fc.constantFrom(0, 1),
  );
  const someForecasts = fc.array(aForecast, { minLength: 1, maxLength: 60 });

  function tallyOf(forecasts: readonly (readonly [number, number])[]): tallies.Tally {
    return tallies.tallyOf(
      forecasts.map(([given]) => given),
      forecasts.map(([, came]) => came),
    );
  }

  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

  it('gives each score as its definition does', () => {
    fc.assert(
      fc.property(someForecasts, (forecasts) => {
        const tally = tallyOf(forecasts);
        const given = forecasts.map(([chance]) => chance);
        const held = forecasts.map(([chance, came]) => [Math.min(0.999, Math.max(0.001, chance)), came] as const);
        expect(tallies.brier(tally)).toBeCloseTo(mean(forecasts.map(([f, came]) => (f - came) ** 2)), 12);
        expect(tallies.logLoss(tally)).toBeCloseTo(mean(held.map(([f, came]) => -Math.log(came ? f : 1 - f))), 12);
        expect(tallies.sharpness(tally) ** 2).toBeCloseTo(mean(given.map((f) => (f - mean(given)) ** 2)), 12);
        expect(tallies.observed(tally)).toBeCloseTo(mean(forecasts.map(([, came]) => came)), 12);
      }),
    );
  });

  it('puts every forecast into one tenth, and measures the distance within them', () => {
    fc.assert(
      fc.property(someForecasts, (forecasts) => {
        const tally = tallyOf(forecasts);
        let distance = 0;
        for (let tenth = 0; tenth < 10; tenth++) {
          const own = forecasts.filter(([f]) => Math.min(9, Math.floor(Math.round(f * 1e4) / 1e3)) === tenth);
          expect(tallies.tenthOf(tally, tenth).count).toBe(own.length);
          distance += Math.abs(own.reduce((sum, [f, came]) => sum + f - came, 0));
        }
        expect(tallies.calibrationError(tally)).toBeCloseTo(distance / forecasts.length, 12);
      }),
    );
  });

  it('adds up', () => {
    fc.assert(
      fc.property(someForecasts, someForecasts, (one, other) => {
        const sum = tallies.weightedSum([tallyOf(one), tallyOf(other)], Float64Array.of(2, 1));
        tallyOf([...one, ...one, ...other]).forEach((value, i) => expect(sum[i]).toBeCloseTo(value, 9));
      }),
    );
  });

  it('has the values of textbooks', () => {
    const always = tallyOf([
      [0.5, 1],
      [0.5, 0],
    ]);
    expect([tallies.brier(always), tallies.logLoss(always), tallies.sharpness(always)]).toEqual([0.25, Math.log(2), 0]);
    const perfect = tallyOf([
      [1, 1],
      [0, 0],
    ]);
    expect([tallies.brier(perfect), tallies.calibrationError(perfect)]).toEqual([0, 0]);
    expect(tallies.logLoss(perfect)).toBeCloseTo(-Math.log(0.999), 12);
  });
});

const aForecast = fc.record({
  given: fc.nat(40).map((step) => step / 40),
  came: fc.constantFrom(0, 1),
});
type Forecast = { given: number; came: number };

/** Every pair of an event and another, one by one. */
function naiveAuc(forecasts: readonly Forecast[]): number {
  let won = 0;
  let pairs = 0;
  for (const event of forecasts.filter(({ came }) => came === 1)) {
    for (const other of forecasts.filter(({ came }) => came === 0)) {
      won += event.given > other.given ? 1 : event.given === other.given ? 0.5 : 0;
      pairs++;
    }
  }
  return won / pairs;
}

function rankingOf(blocks: readonly (readonly Forecast[])[]): Ranking {
  return new Ranking(
    blocks.map((block) => block.map(({ given }) => given)),
    blocks.map((block) => block.map(({ came }) => came)),
  );
}

/** NaN is NaN. */
const rounded = (value: number) => Math.round(value * 1e9) / 1e9;

describe('the AUC', () => {
  it('is the share of pairs in the right order, counted one by one', () => {
    fc.assert(
      fc.property(fc.array(aForecast, { maxLength: 60 }), (forecasts) => {
        expect(rounded(rankingOf([forecasts]).auc(Float64Array.of(1)))).toBe(rounded(naiveAuc(forecasts)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('counts a block as often as it weighs', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.array(aForecast, { maxLength: 12 }), fc.nat(3)), { maxLength: 8 }), (blocks) => {
        const ranking = rankingOf(blocks.map(([block]) => block));
        const drawn = blocks.flatMap(([block, weight]) => Array.from({ length: weight }, () => block).flat());
        const weights = Float64Array.from(blocks, ([, weight]) => weight);
        expect(rounded(ranking.auc(weights))).toBe(rounded(naiveAuc(drawn)));
      }),
    );
  });

  it('is 1 in perfect order, 0 in the reverse one, a half for equal forecasts', () => {
    const auc = (given: number[], came: number[]) => new Ranking([given], [came]).auc(Float64Array.of(1));
    expect(auc([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])).toBe(1);
    expect(auc([0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0])).toBe(0);
    expect(auc([0.3, 0.3, 0.3], [1, 0, 1])).toBe(0.5);
  });
});

describe('an interval by drawing', () => {
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
});
