import { FORECASTERS, type Forecaster } from '../forecasts/forecasts';
import { type Block, bootstrap, type Measure } from './bootstrap';
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

/** The figures of a group of forecasts. */
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

/** Fewer forecasts, or fewer of either outcome, and no figure is printed. */
export const LEAST = { forecasts: 100, ofEachOutcome: 10 } as const;

const SCORES = ['brier', 'logLoss', 'calibrationError', 'sharpness'] as const;

/** @param drawn whose AUC gets an interval: of all figures it costs the most */
export function figuresOf(blocks: readonly Block[], seed: number, drawn: readonly Forecaster[] = ['engine']): Figures {
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
  return { series, forecasts, events, meanForecast, scores: enough ? scoresOf(blocks, came, seed, drawn) : null };
}

function scoresOf(
  blocks: readonly Block[],
  came: readonly number[][],
  seed: number,
  drawn: readonly Forecaster[],
): GroupScores {
  const side = (forecaster: Forecaster): Side => {
    const given = blocks.map(({ of, places }) => places.map((place) => of.given[forecaster][place]!));
    const sums = given.map((block, which) => tallies.tallyOf(block, came[which]!));
    return { ranking: new Ranking(given, came), sums, drawsAuc: drawn.includes(forecaster) };
  };
  const sides = { engine: side('engine'), share: side('share'), strength: side('strength') };
  const ofAll = new Float64Array(blocks.length).fill(1);
  const measures = bootstrap(blocks.length, seed, (weights) => statisticsOf(sides, weights));
  const measure = (name: string) => measures.get(name)!;
  const score = (who: Forecaster, { ranking }: Side): Score => ({
    auc: measures.get(`${who} auc`) ?? { value: ranking.auc(ofAll), low: null, high: null },
    brier: measure(`${who} brier`),
    logLoss: measure(`${who} logLoss`),
    calibrationError: measure(`${who} calibrationError`).value,
    sharpness: measure(`${who} sharpness`),
    bias: measure(`${who} bias`),
  });
  const whole = tallies.weightedSum(sides.engine.sums, ofAll);
  return {
    observed: measure('observed'),
    by: {
      engine: score('engine', sides.engine),
      share: score('share', sides.share),
      strength: score('strength', sides.strength),
    },
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
  readonly drawsAuc: boolean;
}

/** Figures by name, for blocks that count so often. */
function statisticsOf(sides: Record<Forecaster, Side>, weights: Float64Array): Map<string, number> {
  const statistics = new Map<string, number>();
  const sums = FORECASTERS.map((who) => tallies.weightedSum(sides[who].sums, weights));
  const [engine, share, strength] = sums as [tallies.Tally, tallies.Tally, tallies.Tally];
  statistics.set('observed', tallies.observed(engine));
  statistics.set('less share', tallies.brier(engine) - tallies.brier(share));
  statistics.set('less strength', tallies.brier(engine) - tallies.brier(strength));
  for (const [place, who] of FORECASTERS.entries()) {
    const tally = sums[place]!;
    if (sides[who].drawsAuc) statistics.set(`${who} auc`, sides[who].ranking.auc(weights));
    statistics.set(`${who} bias`, tallies.meanGiven(tally) - tallies.observed(tally));
    for (const score of SCORES) statistics.set(`${who} ${score}`, tallies[score](tally));
  }
  for (let tenth = 0; tenth < tallies.TENTHS; tenth++) {
    statistics.set(`tenth ${tenth}`, tallies.tenthOf(engine, tenth).observed);
  }
  return statistics;
}
