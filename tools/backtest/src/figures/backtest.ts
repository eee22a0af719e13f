import { civilDate, ENGINE_VERSION } from '@evenkeel/scoring';
import type { Rejects, WalkableFile } from '../reading/read-file';
import type { Reject } from '@evenkeel/habit-files';
import { FORECASTERS, type Forecasts } from '../forecasts/forecasts';
import { blocksOf, blockUnitOf, type BlockUnit, DRAWS } from './bootstrap';
import {
  byHistory,
  byKind,
  byPeriod,
  type NamedFigures,
  driftOf,
  spanOf,
  type Drift,
  worstForecasts,
  type WorstForecast,
} from './breakdowns';
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
  /** So many forecasts in each twentieth of the scale, by what came. */
  distribution: { came: number[]; didNot: number[] };
  overall: Figures;
  byKind: NamedFigures[];
  byHistory: NamedFigures[];
  byPeriod: NamedFigures[];
  drift: Drift | null;
  worst: WorstForecast[];
}

const TWENTIETHS = 20;

/** @param told called with the name of the present step */
export function backtestOf(
  { subject, format, notes }: WalkableFile,
  all: readonly Forecasts[],
  rejects: Rejects,
  seed: number,
  told: (doing: string) => void,
): Backtest {
  const unit = blockUnitOf(all);
  const blocks = blocksOf(all, unit);
  const span = blocks.length === 0 ? null : spanOf(blocks);
  const doing = <Result>(what: string, work: () => Result): Result => {
    told(what);
    return work();
  };
  const overall = doing('figures of all', () => figuresOf(blocks, seed, FORECASTERS));
  return {
    subject,
    format,
    engineVersion: ENGINE_VERSION,
    notes,
    rejects: { count: rejects.count, first: rejects.first },
    intervals: { seed, draws: DRAWS, unit },
    from: span && civilDate(span.first),
    to: span && civilDate(span.last),
    distribution: distributionOf(all),
    overall,
    byKind: doing('figures by kind', () => byKind(all, unit, seed)),
    byHistory: doing('figures by length of history', () => byHistory(all, subject, unit, seed)),
    byPeriod: doing('figures by period', () => (span ? byPeriod(all, span, unit, seed) : [])),
    drift: overall.scores ? doing('drift', () => driftOf(blocks, seed)) : null,
    worst: worstForecasts(all),
  };
}

function distributionOf(all: readonly Forecasts[]): Backtest['distribution'] {
  const came = Array.from({ length: TWENTIETHS }, () => 0);
  const didNot = [...came];
  for (const of of all) {
    of.given.engine.forEach((forecast, place) => {
      const at = Math.min(TWENTIETHS - 1, Math.floor(forecast * TWENTIETHS + 1e-9));
      (of.came[place] === 1 ? came : didNot)[at]!++;
    });
  }
  return { came, didNot };
}
