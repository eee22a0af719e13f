import type { ScoredHabit } from '../habits/scored-habit';
import { dayNumber } from '../logs/civil-days';
import { dayBook } from '../logs/day-book';
import { habitRecord, viewpointOf, type HabitRecord } from '../logs/habit-record';
import { occasionsOf, type Occasion } from '../logs/occasions';
import { readLogs } from '../logs/read-log';
import { scheduleOf } from '../logs/schedule';
import { scoreHistory } from '../logs/score-history';
import type { Life } from './histories.fixture';

/** A window as long as the longest history, so that a later evaluation day looks at the same occasions. */
const ALL_DAYS = 10_000;
const NO_SCORES = { averageMood: undefined, moodCorrelation: undefined, energyTrend: undefined };

export function recordOf({ habit, asOf, weekStart }: Life): HabitRecord {
  return habitRecord(habit, viewpointOf({ asOf, weekStart, windowDays: ALL_DAYS }));
}

/** The occasions alone, without what is made of them. */
export function occasionsAt({ habit, asOf, weekStart }: Life): Occasion[] {
  const schedule = scheduleOf(habit);
  const book = dayBook(readLogs(habit), schedule, dayNumber(habit.startDate), dayNumber(asOf));
  return occasionsOf(book, schedule, weekStart);
}

/** The scores that come from doing and skipping alone, without averages and correlations of mood. */
export function scored(life: Life): ScoredHabit {
  return scoreHistory(recordOf(life), life.habit.name, 0, NO_SCORES);
}
