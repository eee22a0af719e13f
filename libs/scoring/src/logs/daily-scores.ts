import type { LinkVariable } from '../texts';
import { type ReadLog, readLogs } from './day-book';
import type { HistoriesRequest } from './habit-history';
import type { HabitRecord, Viewpoint } from './habit-record';
import { correlateScores, type CorrelationGap, type ScoreCorrelation, type ScoredDays } from './score-correlation';

export type ScoreMember = 'moodScore' | 'energyScore' | 'stressScore';

/** Mean score of each day that has one, over `from` to `until`. Sums are whole numbers, so log order changes nothing. */
export class DailyScores {
  private readonly sum = new Map<number, number>();
  private readonly count = new Map<number, number>();

  constructor(
    readonly from: number,
    readonly until: number,
  ) {}

  add(logs: readonly ReadLog[], member: ScoreMember): this {
    for (const { day, log } of logs) {
      const score = log[member];
      if (score === undefined || score === null) continue;
      if (day < this.from || day > this.until) continue;
      this.sum.set(day, (this.sum.get(day) ?? 0) + score);
      this.count.set(day, (this.count.get(day) ?? 0) + 1);
    }
    return this;
  }

  /** @returns 1 to 10; undefined on a day without a score */
  meanOf(day: number): number | undefined {
    const sum = this.sum.get(day);
    return sum === undefined ? undefined : sum / this.count.get(day)!;
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
  return { mood: scores('moodScore'), energy: scores('energyScore'), stress: scores('stressScore') };
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
