import { civilDate, ENGINE_VERSION } from '@evenkeel/scoring';
import { type Forecast, FORECASTERS, type Series } from './forecasts';
import type { Rejects, WalkableFile } from './read-file';
import { bootstrap, DRAWS, FEWEST_BLOCKS, scorer } from './scores';
import { walkHabit } from './walk-habit';
import { walkTask } from './walk-task';

/** Everything that a back-test found, as `--json` prints it. */
export type Backtest = ReturnType<typeof backtestOf>;

/** The figures of a group of forecasts; scores are null when there are too few to say anything. */
export type Figures = Backtest['overall'];
export type GroupScores = ReturnType<typeof groupScores>;

/** Walks through every history of a file, and says how good the forecasts were. */
export function backtestOf(file: WalkableFile, { count, first }: Rejects, seed: number) {
  const { subject, format, notes } = file;
  const all: Series[] =
    file.subject === 'tasks' ? file.all.map(walkTask) : file.all.map((habit) => walkHabit(habit, file.weekStart));
  const unit = blockUnitOf(all);
  const days = all.flatMap(({ forecasts }) => [...forecasts.slice(0, 1), ...forecasts.slice(-1)].map(({ day }) => day));
  const [from, to] = [Math.min(...days), Math.max(...days)];
  const figures = (name: string, belongs: (series: Series, forecast: Forecast) => boolean) => {
    const own = all.map((series) => series.forecasts.filter((forecast) => belongs(series, forecast)));
    return { name, ...figuresOf(own, unit, seed) };
  };
  return {
    subject,
    format,
    engineVersion: ENGINE_VERSION,
    notes,
    rejects: { count, first },
    intervals: { seed, draws: DRAWS, unit },
    /** Of the forecasts; null when there are none. */
    from: days.length === 0 ? null : civilDate(from),
    to: days.length === 0 ? null : civilDate(to),
    overall: figures('all', () => true),
    /** The kind with the most forecasts first. */
    byKind: [...new Set(all.map(({ kind }) => kind))]
      .map((name) => figures(name, ({ kind }) => kind === name))
      .filter(({ forecasts }) => forecasts > 0)
      .sort((a, b) => b.forecasts - a.forecasts || (a.name < b.name ? -1 : 1)),
    /** Equal parts of the time, in which a change of behaviour shows. */
    byPeriod: periodsOf(from, to).map(([start, end]) =>
      figures(`${civilDate(start)} to ${civilDate(end - 1)}`, (_, { day }) => day >= start && day < end),
    ),
  };
}

const MOST_PERIODS = 8;
const SHORTEST_PERIOD_DAYS = 28;

/** Each from a day on, until before another one; none when there is too little time. */
function periodsOf(first: number, last: number): [start: number, end: number][] {
  const days = last - first + 1;
  const periods = Math.min(MOST_PERIODS, Math.floor(days / SHORTEST_PERIOD_DAYS));
  if (periods < 2) return [];
  const start = (period: number) => first + Math.round((days * period) / periods);
  return Array.from({ length: periods }, (_, period) => [start(period), start(period + 1)]);
}

const STRETCH = 28;
const MOST_STRETCHES = 1_000;

type BlockUnit = { whole: true } | { whole: false; length: number };

/** Whole habits or tasks where there are enough; else stretches of 28 days or runs, longer where there would be very many. */
function blockUnitOf(all: readonly Series[]): BlockUnit {
  const used = all.map(({ forecasts }) => forecasts).filter(({ length }) => length > 0);
  if (used.length >= FEWEST_BLOCKS) return { whole: true };
  const steps = used.reduce((sum, forecasts) => sum + forecasts.at(-1)!.known - forecasts[0]!.known + 1, 0);
  return { whole: false, length: Math.max(STRETCH, Math.ceil(steps / MOST_STRETCHES)) };
}

/** Fewer forecasts, or fewer of either outcome, and no figure is printed. */
export const LEAST = { forecasts: 100, ofEachOutcome: 10 } as const;

function figuresOf(series: readonly (readonly Forecast[])[], unit: BlockUnit, seed: number) {
  const used = series.filter(({ length }) => length > 0);
  const all = used.flat();
  const events = all.filter(({ came }) => came === 1).length;
  const isEnough = all.length >= LEAST.forecasts && Math.min(events, all.length - events) >= LEAST.ofEachOutcome;
  const blocks = unit.whole ? used : used.flatMap((own) => stretchesOf(own, unit.length));
  const scores = isEnough ? groupScores(blocks, seed) : null;
  return { series: used.length, forecasts: all.length, events, scores };
}

function stretchesOf(forecasts: readonly Forecast[], length: number): Forecast[][] {
  const stretches: Forecast[][] = [];
  for (const forecast of forecasts) (stretches[Math.floor(forecast.known / length)] ??= []).push(forecast);
  return Object.values(stretches);
}

function groupScores(blocks: readonly (readonly Forecast[])[], seed: number) {
  const scorers = FORECASTERS.map((who) => scorer(blocks, who));
  const measures = bootstrap(blocks.length, seed, (weights) => {
    const scores = scorers.map((scoresOf) => scoresOf(weights));
    const { brier, mean, observed, tenths } = scores[0]!;
    return [
      observed,
      mean - observed,
      ...scores.flatMap((of) => [of.auc, of.brier]),
      ...scores.slice(1).map((other) => brier - other.brier),
      ...tenths.map((tenth) => tenth.observed),
    ];
  });
  const next = () => measures.shift()!;
  const whole = scorers[0]!(new Float64Array(blocks.length).fill(1));
  const score = () => ({ auc: next(), brier: next() });
  return {
    observed: next(),
    /** Of the engine. */
    meanForecast: whole.mean,
    /** That less the frequency: above 0 the forecasts were too high. */
    bias: next(),
    by: { engine: score(), share: score(), strength: score() },
    /** The Brier score of the engine less that of the other: below 0 the engine was better. */
    brierLess: { share: next(), strength: next() },
    /** Of the engine. */
    tenths: whole.tenths.map(({ count, mean }) => {
      const observed = next();
      return count > 0
        ? { forecasts: count, meanForecast: mean, observed }
        : { forecasts: 0, meanForecast: null, observed: null };
    }),
  };
}
