import type { Reject } from '@evenkeel/habit-files';
import { civilDate, ENGINE_VERSION } from '@evenkeel/scoring';
import type { Forecasts } from '../forecasts/forecasts';
import type { Rejects, WalkableFile } from '../reading/read-file';
import { blocksOf, blockUnitOf, type BlockUnit, DRAWS } from './bootstrap';
import { figuresOf, type Figures } from './figures';

/** Everything that a back-test found, as `--json` prints it. */
export interface Backtest {
  subject: 'habits' | 'tasks';
  format: string;
  engineVersion: string;
  notes: readonly string[];
  rejects: { count: number; first: readonly Reject[] };
  /** How intervals were drawn. */
  intervals: { seed: number; draws: number; unit: BlockUnit };
  /** Of the forecasts; null when there are none. */
  from: string | null;
  to: string | null;
  overall: Figures;
  /** The kind with the most forecasts first. */
  byKind: NamedFigures[];
  /** Equal parts of the time, in which a change of behaviour shows; none when there is too little of it. */
  byPeriod: NamedFigures[];
}

export interface NamedFigures extends Figures {
  name: string;
}

const MOST_PERIODS = 8;
const SHORTEST_PERIOD_DAYS = 28;

export function backtestOf(
  { subject, format, notes }: WalkableFile,
  all: readonly Forecasts[],
  { count, first }: Rejects,
  seed: number,
): Backtest {
  const unit = blockUnitOf(all);
  const days = all.flatMap(({ day }) => (day.length > 0 ? [day[0]!, day.at(-1)!] : []));
  const [from, to] = days.length === 0 ? [null, null] : [Math.min(...days), Math.max(...days)];
  const figures = (name: string, belongs: (of: Forecasts, place: number) => boolean): NamedFigures => ({
    name,
    ...figuresOf(blocksOf(all, unit, belongs), seed),
  });
  const kinds = [...new Set(all.map(({ kind }) => kind))].map((name) => figures(name, ({ kind }) => kind === name));
  return {
    subject,
    format,
    engineVersion: ENGINE_VERSION,
    notes,
    rejects: { count, first },
    intervals: { seed, draws: DRAWS, unit },
    from: from === null ? null : civilDate(from),
    to: to === null ? null : civilDate(to),
    overall: figures('all', () => true),
    byKind: kinds
      .filter(({ forecasts }) => forecasts > 0)
      .sort((a, b) => b.forecasts - a.forecasts || (a.name < b.name ? -1 : 1)),
    byPeriod: periodsOf(from ?? 0, to ?? 0).map(([start, end]) =>
      figures(
        `${civilDate(start)} to ${civilDate(end - 1)}`,
        ({ day }, place) => day[place]! >= start && day[place]! < end,
      ),
    ),
  };
}

/** Each from a day on, until before another one. */
function periodsOf(first: number, last: number): [start: number, end: number][] {
  const days = last - first + 1;
  const periods = Math.min(MOST_PERIODS, Math.floor(days / SHORTEST_PERIOD_DAYS));
  if (periods < 2) return [];
  const start = (period: number) => first + Math.round((days * period) / periods);
  return Array.from({ length: periods }, (_, period) => [start(period), start(period + 1)]);
}
