import type { Block } from './blocks';
import { bootstrap, type Measure } from './bootstrap';
import { LEAST } from './figures';
import { count, meanGiven, observed, tallyOf, weightedSum } from './tallies';

/** The second half of the time against the first. */
export interface Drift {
  /** Day number on which the second half begins. */
  from: number;
  first: { observed: number; meanForecast: number };
  second: { observed: number; meanForecast: number };
  /** Change of how often the event came. */
  observedChange: Measure;
  /** Change of mean forecast less frequency: whether the forecasts went along. */
  biasChange: Measure;
}

/** @returns null when either half has too few forecasts to speak of */
export function driftOf(blocks: readonly Block[], seed: number): Drift | null {
  const { first: firstDay, last: lastDay } = spanOf(blocks);
  const from = Math.ceil((firstDay + lastDay + 1) / 2);
  const halves = [(day: number) => day < from, (day: number) => day >= from].map((isIn) =>
    blocks.map(({ of, places }) => {
      const own = places.filter((place) => isIn(of.day[place]!));
      return tallyOf(
        own.map((place) => of.given.engine[place]!),
        own.map((place) => of.came[place]!),
      );
    }),
  );
  const all = new Float64Array(blocks.length).fill(1);
  const [first, second] = halves.map((half) => weightedSum(half, all));
  if (Math.min(count(first!), count(second!)) < LEAST.forecasts) return null;
  const changes = bootstrap(blocks.length, seed, (weights) => {
    const [before, after] = halves.map((half) => weightedSum(half, weights));
    const change = observed(after!) - observed(before!);
    return new Map([
      ['observed', change],
      ['bias', meanGiven(after!) - meanGiven(before!) - change],
    ]);
  });
  return {
    from,
    first: { observed: observed(first!), meanForecast: meanGiven(first!) },
    second: { observed: observed(second!), meanForecast: meanGiven(second!) },
    observedChange: changes.get('observed')!,
    biasChange: changes.get('bias')!,
  };
}

/** Day numbers of the first and the last forecast. */
export function spanOf(blocks: readonly Block[]): { first: number; last: number } {
  let first = Infinity;
  let last = -Infinity;
  for (const { of, places } of blocks) {
    first = Math.min(first, of.day[places[0]!]!);
    last = Math.max(last, of.day[places.at(-1)!]!);
  }
  return { first, last };
}
