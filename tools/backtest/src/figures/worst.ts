import { civilDate } from '@evenkeel/scoring';
import type { Forecasts } from '../walking/forecasts';

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
