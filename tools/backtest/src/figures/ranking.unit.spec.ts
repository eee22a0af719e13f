import fc from 'fast-check';
import { Ranking } from './ranking';

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
