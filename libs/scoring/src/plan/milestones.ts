import { TEXTS } from '../texts/texts';

/** 66: median days until a habit runs by itself (range 18 to 254; Lally et al. 2010). */
const DAY_MARKS: readonly number[] = [7, 14, 28, 66, 90, 180];
const STREAK_MARKS: readonly number[] = [3, 7, 14, 30, 66, 100, 180];

export interface Milestone {
  /** Day of the plan, from 1. */
  day: number;
  code: 'day' | 'streak';
  mark: number;
  text: string;
}

/**
 * Days and streaks worth a word, inside the horizon, by day, code and mark.
 * @param horizonDays length of the plan
 * @param currentStreak occasions; marks above it lie ahead
 * @param streakDay day of the plan on which a streak is that many occasions longer, if none is missed
 */
export function milestones(
  horizonDays: number,
  currentStreak: number,
  streakDay: (occasions: number) => number,
): Milestone[] {
  const reached: Milestone[] = [];
  for (const day of DAY_MARKS) {
    if (day <= horizonDays) reached.push({ day, code: 'day', mark: day, text: TEXTS.milestones.day(day) });
  }
  for (const mark of STREAK_MARKS) {
    if (mark <= currentStreak) continue;
    const day = streakDay(mark - currentStreak);
    if (day > horizonDays) continue;
    // After all of the same day: codes and marks come in their order. Cheaper than sorting in the end.
    let place = reached.length;
    for (; place > 0 && reached[place - 1]!.day > day; place--) reached[place] = reached[place - 1]!;
    reached[place] = { day, code: 'streak', mark, text: TEXTS.milestones.streak(mark) };
  }
  return reached;
}
