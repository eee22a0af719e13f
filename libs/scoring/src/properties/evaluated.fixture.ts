import type { ScoredHabit } from '../habits/scored-habit';
import { habitRecord, viewpointOf, type HabitRecord } from '../logs/habit-record';
import { scoreHistory } from '../logs/score-history';
import type { Life } from './histories.fixture';

/** A window as long as the longest history, so that a later evaluation day looks at the same occasions. */
const ALL_DAYS = 10_000;
const NO_SCORES = { averageMood: undefined, moodCorrelation: undefined, energyTrend: undefined };

export function recordOf({ habit, asOf, weekStart }: Life): HabitRecord {
  return habitRecord(habit, viewpointOf({ asOf, weekStart, windowDays: ALL_DAYS }));
}

/** The scores that come from doing and skipping alone, without averages and correlations of mood. */
export function scored(life: Life): ScoredHabit {
  return scoreHistory(recordOf(life), life.habit.name, 0, NO_SCORES);
}
