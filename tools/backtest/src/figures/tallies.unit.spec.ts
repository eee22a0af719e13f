import fc from 'fast-check';
import * as tallies from './tallies';

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
