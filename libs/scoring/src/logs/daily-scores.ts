import type { LinkVariable } from '../texts';
import type { HistoriesRequest } from './habit-history';
import type { HabitRecord, Viewpoint } from './habit-record';
import { type OrderedLogs, readLogs } from './read-logs';
import { correlateScores, type CorrelationGap, type ScoreCorrelation, type ScoredDays } from './score-correlation';

export type ScoreMember = 'moodScores' | 'energyScores' | 'stressScores';

/** Mean score of each day that has one, over `from` to `until`. Sums are whole numbers, so log order changes nothing. */
export class DailyScores {
  private readonly sums: Float64Array;
  private readonly counts: Uint32Array;

  constructor(
    readonly from: number,
    readonly until: number,
  ) {
    this.sums = new Float64Array(until - from + 1);
    this.counts = new Uint32Array(until - from + 1);
  }

  add(logs: OrderedLogs, member: ScoreMember): this {
    const { days, [member]: scores } = logs;
    for (let log = days.length - 1; log >= 0 && days[log]! >= this.from; log--) {
      if (scores[log] === 0 || days[log]! > this.until) continue;
      this.sums[days[log]! - this.from]! += scores[log]!;
      this.counts[days[log]! - this.from]!++;
    }
    return this;
  }

  /** @returns 1 to 10; undefined on a day without a score */
  meanOf(day: number): number | undefined {
    const count = this.counts[day - this.from];
    return count ? this.sums[day - this.from]! / count : undefined;
  }

  /** @returns mean of all scores, each log counted once: 1 to 10; null without any */
  mean(): number | null {
    let sum = 0;
    let count = 0;
    for (let day = 0; day < this.counts.length; day++) {
      sum += this.sums[day]!;
      count += this.counts[day]!;
    }
    return count === 0 ? null : sum / count;
  }
}

/** A person's mean scores per day of the window, over all habits: a missed day rarely has a log of its own. */
export type PersonScores = Readonly<Record<'mood' | 'energy' | 'stress', DailyScores>>;

export function personScores(
  records: readonly HabitRecord[],
  otherHabits: HistoriesRequest['otherHabits'],
  { today, windowDays }: Viewpoint,
): PersonScores {
  const logsOfHabits = [...records.map(({ logs }) => logs), ...(otherHabits ?? []).map(readLogs)];
  const scores = (member: ScoreMember) => {
    const daily = new DailyScores(today - windowDays + 1, today);
    for (const logs of logsOfHabits) daily.add(logs, member);
    return daily;
  };
  return { mood: scores('moodScores'), energy: scores('energyScores'), stress: scores('stressScores') };
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
