import { civilDate } from '@evenkeel/scoring';
import type { Forecasts } from '../walking/forecasts';
import { blocksOf, type BlockUnit } from './blocks';
import { figuresOf, type Figures } from './figures';

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
