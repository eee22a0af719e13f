import { civilDate } from '@evenkeel/scoring';
import type { Forecasts } from '../forecasts/forecasts';
import { type Block, bootstrap, type Measure, blocksOf, type BlockUnit } from './bootstrap';
import { LEAST, figuresOf, type Figures } from './figures';
import { count, meanGiven, observed, tallyOf, weightedSum } from './tallies';

export interface NamedFigures extends Figures {
  name: string;
}

const MOST_PERIODS = 8;
const SHORTEST_PERIOD_DAYS = 28;
/** By days known of a habit, by runs of a task: up to so many, the last without end. */
const HISTORIES = {
  habits: [
    ['up to 4 weeks known', 28],
    ['up to 3 months known', 91],
    ['more than 3 months known', Infinity],
  ],
  tasks: [
    ['fewer than 10 runs known', 9],
    ['10 to 99 runs known', 99],
    ['100 runs or more known', Infinity],
  ],
} as const;

/** The kind with the most forecasts first. */
export function byKind(all: readonly Forecasts[], unit: BlockUnit, seed: number): NamedFigures[] {
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  return kinds
    .map((name) => ({
      name,
      ...figuresOf(
        blocksOf(all, unit, (of) => of.kind === name),
        seed,
      ),
    }))
    .filter(({ forecasts }) => forecasts > 0)
    .sort((a, b) => b.forecasts - a.forecasts || (a.name < b.name ? -1 : 1));
}

/** By how much was known when the forecast was made. */
export function byHistory(
  all: readonly Forecasts[],
  subject: 'habits' | 'tasks',
  unit: BlockUnit,
  seed: number,
): NamedFigures[] {
  let over = 0;
  return HISTORIES[subject].map(([name, most]) => {
    const from = over;
    const isIn = (of: Forecasts, at: number) => of.known[at]! > from && of.known[at]! <= most;
    over = most;
    return { name, ...figuresOf(blocksOf(all, unit, isIn), seed) };
  });
}

/** Equal parts of the time, in which a change of behaviour shows; none when there is too little of it. */
export function byPeriod(
  all: readonly Forecasts[],
  { first, last }: { first: number; last: number },
  unit: BlockUnit,
  seed: number,
): NamedFigures[] {
  const days = last - first + 1;
  const periods = Math.min(MOST_PERIODS, Math.floor(days / SHORTEST_PERIOD_DAYS));
  if (periods < 2) return [];
  const starts = Array.from({ length: periods + 1 }, (_, period) => first + Math.round((days * period) / periods));
  return starts.slice(0, -1).map((from, period) => {
    const end = starts[period + 1]!;
    const isIn = (of: Forecasts, at: number) => of.day[at]! >= from && of.day[at]! < end;
    const name = `${civilDate(from)} to ${civilDate(end - 1)}`;
    return { name, ...figuresOf(blocksOf(all, unit, isIn), seed) };
  });
}

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

/** A forecast that was far off. */
export interface WorstForecast {
  name: string;
  kind: string;
  date: string;
  forecast: number;
  came: boolean;
  /** The last days or runs before it, and what came, a letter each: d done, m missed, s skipped, - not due. */
  before: string;
  after: string;
}

const HOW_MANY = 10;
/** Forecasts of neighbouring mornings are wrong together: one of them is enough. */
const APART_DAYS = 28;

/** Those furthest from what came, at most one a habit or task in four weeks; on ties the earlier day, then the name. */
export function worstForecasts(all: readonly Forecasts[]): WorstForecast[] {
  const candidates = all.flatMap((of) =>
    of.given.engine.flatMap((forecast, place) => {
      const error = Math.abs(forecast - of.came[place]!);
      return error > 0.5 ? [{ of, place, error, day: of.day[place]! }] : [];
    }),
  );
  candidates.sort((a, b) => b.error - a.error || a.day - b.day || (a.of.name < b.of.name ? -1 : 1));
  const chosen: typeof candidates = [];
  for (const candidate of candidates) {
    const isNear = ({ of, day }: typeof candidate) => of === candidate.of && Math.abs(day - candidate.day) < APART_DAYS;
    if (chosen.some(isNear)) continue;
    chosen.push(candidate);
    if (chosen.length === HOW_MANY) break;
  }
  return chosen.map(({ of, place, day }) => ({
    name: of.name,
    kind: of.kind,
    date: civilDate(day),
    forecast: of.given.engine[place]!,
    came: of.came[place] === 1,
    ...of.around(place),
  }));
}
