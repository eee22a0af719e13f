import type { EnergyTrend } from '../habits/scored-habit';
import { ROUNDING_ERROR } from '../numbers';
import type { LinkVariable } from '../texts';
import type { DayLog, HistoriesRequest, ScoreMember } from './habit-history';
import { readLogs } from './habit-history';
import type { HabitRecord, Viewpoint } from './habit-record';
import { correlateScores, type CorrelationGap, type ScoreCorrelation, type ScoredDays } from './score-correlation';
import { scheduleOf } from './day-book';

/** The scores of one kind by day, over `from` to `until`. Scores are whole numbers, so log order changes no mean. */
export class DailyScores {
  private readonly scores = new Map<number, number[]>();

  constructor(
    readonly from: number,
    readonly until: number,
  ) {}

  add(logs: readonly DayLog[], member: ScoreMember): this {
    for (const { day, [member]: score } of logs) {
      if (score === 0 || day < this.from || day > this.until) continue;
      const others = this.scores.get(day);
      if (others) others.push(score);
      else this.scores.set(day, [score]);
    }
    return this;
  }

  /** @returns 1 to 10; undefined on a day without a score */
  meanOf(day: number): number | undefined {
    const scores = this.scores.get(day);
    return scores && mean(scores);
  }

  /** @returns mean of all scores, each log counted once: 1 to 10; null without any */
  mean(): number | null {
    return this.scores.size === 0 ? null : mean([...this.scores.values()].flat());
  }
}

function mean(scores: readonly number[]): number {
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

/** A person's mean scores per day of the window, over all habits: a missed day rarely has a log of its own. */
type PersonScores = Readonly<Record<ScoreMember, DailyScores>>;

export function personScores(
  records: readonly HabitRecord[],
  otherHabits: HistoriesRequest['otherHabits'] = [],
  { today, windowDays }: Viewpoint,
): PersonScores {
  const others = otherHabits.map((habit) => readLogs(habit, scheduleOf(habit)));
  const logsOfHabits = [...records.map(({ logs }) => logs), ...others];
  const scores = (member: ScoreMember) => {
    const daily = new DailyScores(today - windowDays + 1, today);
    for (const logs of logsOfHabits) daily.add(logs, member);
    return daily;
  };
  return { mood: scores('mood'), energy: scores('energy'), stress: scores('stress') };
}

export type HabitCorrelations = Readonly<Record<LinkVariable, ScoreCorrelation | CorrelationGap>>;

/** How one habit goes with the person's mood, energy and stress, over the days of the window. */
export function habitCorrelations(record: HabitRecord, scores: PersonScores): HabitCorrelations {
  return {
    mood: correlateScores(scoredDays(record, scores.mood)),
    energy: correlateScores(scoredDays(record, scores.energy)),
    stress: correlateScores(scoredDays(record, scores.stress)),
  };
}

function scoredDays({ book, counted }: HabitRecord, scores: DailyScores): ScoredDays {
  const completion: number[] = [];
  const score: number[] = [];
  for (let day = Math.max(book.start, scores.from); day <= book.today; day++) {
    if (counted[day - book.start] === 0) continue;
    const mean = scores.meanOf(day);
    if (mean === undefined) continue;
    completion.push(book.completion[day - book.start]!);
    score.push(mean);
  }
  return { completion, score };
}

const FEWEST_ENERGY_DAYS = 10;
/** One-sided 5 %. */
const SIGNIFICANT_Z = 1.645;
/** Points, over the time from the first score to the last. */
const SMALLEST_CHANGE = 1;

export const ENERGY_DAYS = 28;

/**
 * Trend of a habit's own energy scores: significant, and at least one point. Comparing halves or ends instead calls a
 * trend in 32 to 65 % of shuffled series; this in 5 to 7 %.
 * @param energy daily means of the last 28 days
 * @returns null with fewer than 10 days
 */
export function energyTrendOf(energy: DailyScores): EnergyTrend | null {
  const days: number[] = [];
  const values: number[] = [];
  for (let day = energy.from; day <= energy.until; day++) {
    const value = energy.meanOf(day);
    if (value === undefined) continue;
    days.push(day);
    values.push(value);
  }
  if (days.length < FEWEST_ENERGY_DAYS) return null;
  const z = mannKendallZ(values);
  const change = senSlope(days, values) * (days[days.length - 1]! - days[0]!);
  const significant = Math.abs(z) >= SIGNIFICANT_Z - ROUNDING_ERROR;
  if (!significant || Math.abs(change) < SMALLEST_CHANGE - ROUNDING_ERROR) return 'stable';
  return z > 0 ? 'rising' : 'falling';
}

/**
 * Mann-Kendall test for a trend, with tie and continuity correction.
 * @param values in time order
 * @returns z, standard normal without a trend; 0 when all values are equal
 * @see Mann 1945; Kendall
 */
function mannKendallZ(values: readonly number[]): number {
  const n = values.length;
  let rises = 0;
  for (let i = 0; i < n; i++) {
    for (let j = i + 1; j < n; j++) rises += Math.sign(values[j]! - values[i]!);
  }
  if (rises === 0) return 0;
  const variance = (n * (n - 1) * (2 * n + 5) - tieTerm(values)) / 18;
  return (rises - Math.sign(rises)) / Math.sqrt(variance);
}

/** Sum of t(t - 1)(2t + 5) over groups of t equal values. */
function tieTerm(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  let sum = 0;
  let first = 0;
  for (let i = 1; i <= sorted.length; i++) {
    if (i < sorted.length && sorted[i] === sorted[first]) continue;
    const t = i - first;
    sum += t * (t - 1) * (2 * t + 5);
    first = i;
  }
  return sum;
}

/**
 * Median of the slopes between all pairs of points: a few odd days do not bend it.
 * @param days in time order, without repetition; at least two
 * @param values one per day
 * @returns value per day
 * @see Sen 1968
 */
function senSlope(days: readonly number[], values: readonly number[]): number {
  const slopes: number[] = [];
  for (let i = 0; i < days.length; i++) {
    for (let j = i + 1; j < days.length; j++) slopes.push((values[j]! - values[i]!) / (days[j]! - days[i]!));
  }
  slopes.sort((a, b) => a - b);
  const middle = Math.floor(slopes.length / 2);
  return slopes.length % 2 === 1 ? slopes[middle]! : (slopes[middle - 1]! + slopes[middle]!) / 2;
}
