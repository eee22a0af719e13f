import { FORECASTERS, type Forecaster } from '../walking/forecasts';
import type { Block } from './blocks';
import { bootstrap, type Measure } from './bootstrap';
import { Ranking } from './ranking';
import * as tallies from './tallies';

/** How good the forecasts of one forecaster were. */
export interface Score {
  auc: Measure;
  brier: Measure;
  logLoss: Measure;
  /** Mean distance of forecast and frequency over the tenths. Without an interval: every draw adds distance of its own. */
  calibrationError: number;
  sharpness: Measure;
  /** Mean forecast less frequency: above 0 the forecasts were too high. */
  bias: Measure;
}

export interface Tenth {
  from: number;
  to: number;
  forecasts: number;
  /** Both null without forecasts. */
  meanForecast: number | null;
  observed: Measure | null;
}

/** What can be said of a group of forecasts. */
export interface Figures {
  series: number;
  forecasts: number;
  events: number;
  /** Mean forecast of the engine; null without forecasts. */
  meanForecast: number | null;
  /** Null when there are too few to say anything. */
  scores: GroupScores | null;
}

export interface GroupScores {
  observed: Measure;
  by: Record<Forecaster, Score>;
  /** The engine's less that of the other: below 0 the engine was better. */
  brierLess: Record<Exclude<Forecaster, 'engine'>, Measure>;
  /** Of the engine. */
  tenths: Tenth[];
}

/** Fewer forecasts, or fewer of either outcome, and no figure is told. */
export const LEAST = { forecasts: 100, ofEachOutcome: 10 } as const;

const SCORES = ['brier', 'logLoss', 'calibrationError', 'sharpness'] as const;

export function figuresOf(blocks: readonly Block[], seed: number): Figures {
  const came = blocks.map(({ of, places }) => places.map((place) => of.came[place]!));
  const forecasts = came.reduce((sum, { length }) => sum + length, 0);
  const events = came.reduce((sum, of) => sum + of.reduce((some, event) => some + event, 0), 0);
  const enough = forecasts >= LEAST.forecasts && Math.min(events, forecasts - events) >= LEAST.ofEachOutcome;
  const series = new Set(blocks.map(({ of }) => of)).size;
  const given = blocks.reduce(
    (sum, { of, places }) => sum + places.reduce((some, at) => some + of.given.engine[at]!, 0),
    0,
  );
  const meanForecast = forecasts === 0 ? null : given / forecasts;
  return { series, forecasts, events, meanForecast, scores: enough ? scoresOf(blocks, came, seed) : null };
}

function scoresOf(blocks: readonly Block[], came: readonly number[][], seed: number): GroupScores {
  const sides = FORECASTERS.map((forecaster) => {
    const ranking = new Ranking();
    const sums = blocks.map(({ of, places }, block) => {
      const given = places.map((place) => of.given[forecaster][place]!);
      ranking.addBlock(given, came[block]!);
      return tallies.tallyOf(given, came[block]!);
    });
    return { ranking, sums };
  });
  const names: string[] = [];
  const measures = bootstrap(blocks.length, seed, (weights) => {
    const named = statisticsOf(sides, weights);
    if (names.length === 0) names.push(...named.map(([name]) => name));
    return named.map(([, value]) => value);
  });
  const measure = (name: string) => measures[names.indexOf(name)]!;
  const score = (who: Forecaster): Score => ({
    auc: measure(`${who} auc`),
    brier: measure(`${who} brier`),
    logLoss: measure(`${who} logLoss`),
    calibrationError: measure(`${who} calibrationError`).value,
    sharpness: measure(`${who} sharpness`),
    bias: measure(`${who} bias`),
  });
  const whole = tallies.weightedSum(sides[0]!.sums, new Float64Array(blocks.length).fill(1));
  return {
    observed: measure('observed'),
    by: { engine: score('engine'), share: score('share'), strength: score('strength') },
    brierLess: { share: measure('less share'), strength: measure('less strength') },
    tenths: Array.from({ length: tallies.TENTHS }, (_, tenth) => {
      const { count, meanGiven } = tallies.tenthOf(whole, tenth);
      const said = count === 0 ? null : { meanForecast: meanGiven, observed: measure(`tenth ${tenth}`) };
      const range = { from: tenth / tallies.TENTHS, to: (tenth + 1) / tallies.TENTHS };
      return { ...range, forecasts: count, meanForecast: null, observed: null, ...said };
    }),
  };
}

interface Side {
  readonly ranking: Ranking;
  readonly sums: readonly tallies.Tally[];
}

/** Every figure by name, for blocks that count so often; always the same names in the same order. */
function statisticsOf(sides: readonly Side[], weights: Float64Array): [name: string, value: number][] {
  const [engine, share, strength] = sides.map(({ sums }) => tallies.weightedSum(sums, weights));
  const named: [string, number][] = [
    ['observed', tallies.observed(engine!)],
    ['less share', tallies.brier(engine!) - tallies.brier(share!)],
    ['less strength', tallies.brier(engine!) - tallies.brier(strength!)],
  ];
  [engine!, share!, strength!].forEach((tally, side) => {
    const who = FORECASTERS[side]!;
    named.push([`${who} auc`, sides[side]!.ranking.auc(weights)]);
    named.push([`${who} bias`, tallies.meanGiven(tally) - tallies.observed(tally)]);
    for (const score of SCORES) named.push([`${who} ${score}`, tallies[score](tally)]);
  });
  for (let tenth = 0; tenth < tallies.TENTHS; tenth++) {
    named.push([`tenth ${tenth}`, tallies.tenthOf(engine!, tenth).observed]);
  }
  return named;
}
