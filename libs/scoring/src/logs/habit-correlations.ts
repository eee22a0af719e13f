import type { LinkVariable } from '../texts/texts';
import type { DailyScores } from './daily-scores';
import type { HabitRecord } from './habit-record';
import type { PersonScores } from './person-scores';
import { correlateScores, type CorrelationGap, type ScoreCorrelation, type ScoredDays } from './score-correlation';

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
  const credit: number[] = [];
  const score: number[] = [];
  for (let day = Math.max(book.start, scores.from); day <= book.today; day++) {
    if (counted[day - book.start] === 0) continue;
    const mean = scores.meanOf(day);
    if (mean === undefined) continue;
    credit.push(book.credit[day - book.start]!);
    score.push(mean);
  }
  return { credit, score };
}
