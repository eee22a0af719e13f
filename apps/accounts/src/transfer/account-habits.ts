import { namesInFiles, type HabitToWrite, type LogToWrite, type NamesInFiles } from '@evenkeel/habit-files';
import { pagesOf, type Query } from '@evenkeel/platform/lists';

/** A habit that an account has, without its logs, as files tell it. */
export type AccountHabit = Omit<HabitToWrite, 'logs'> & { readonly id: string };

/** The same with what files call it. */
export type NamedHabit = AccountHabit & { readonly inFiles: NamesInFiles };

/** A habit that only the cap of the plan archived is active in files: the plan is ours, and no fact of the person. */
const HABITS = `
  SELECT id, source_id AS "sourceId", name, description, category, cadence, target_per_week AS "targetPerWeek",
    target_days_mask AS "targetDaysMask", CASE WHEN start_given THEN start_day::text END AS start,
    CASE WHEN NOT start_given THEN start_day::text END AS "createdOn",
    archived_at IS NOT NULL AND archived_at IS DISTINCT FROM archived_over_cap_at AS archived, question,
    CASE WHEN interval_times IS NOT NULL THEN json_build_object('times', interval_times, 'days', interval_days) END
      AS interval, NULL::integer AS "order", NULL::text AS color
  FROM habits WHERE user_id = $1 ORDER BY created_at, id`;

/** Columns of `habit_logs` that say where a log belongs. */
export const PLACE_COLUMNS = `
  source_id AS "sourceId", local_date::text AS "localDate",
  to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "occurredAt"`;

/** The same as a log that is written. */
export const LOG_COLUMNS = `${PLACE_COLUMNS}, status,
  completion_rate::float8 AS "completionRate", duration_minutes AS "durationMinutes", mood_score AS "moodScore",
  energy_score AS "energyScore", stress_score AS "stressScore", context_tags AS "contextTags", note`;

const LOGS = `
  SELECT habit_id AS "habitId", ${LOG_COLUMNS} FROM habit_logs WHERE user_id = $1 AND habit_id = ANY ($2)`;

/** Of a person, oldest first. */
export function readHabits(query: Query, userId: string): Promise<AccountHabit[]> {
  return query<AccountHabit>(HABITS, [userId]);
}

/**
 * The habits as they are written, in the same order.
 * @param query in a transaction
 */
export async function withLogs(query: Query, userId: string, habits: readonly AccountHabit[]): Promise<HabitToWrite[]> {
  const logs = new Map<string, LogToWrite[]>(habits.map(({ id }) => [id, []]));
  for await (const page of pagesOf<LogToWrite & { habitId: string }>(query, LOGS, [userId, [...logs.keys()]])) {
    for (const { habitId, ...log } of page) logs.get(habitId)!.push(log);
  }
  return habits.map(({ id, ...habit }) => ({ ...habit, logs: logs.get(id)! }));
}

/** Of a person, oldest first, each with what it is called in a file of all of them. */
export async function readNamedHabits(query: Query, userId: string): Promise<NamedHabit[]> {
  const habits = await readHabits(query, userId);
  const twins = twinsIn(habits);
  const compared = twins.length === 0 ? [] : await withLogs(query, userId, twins);
  const toWrite = habits.map((habit): HabitToWrite => {
    const { id: _, ...rest } = habit;
    return compared[twins.indexOf(habit)] ?? { ...rest, logs: [] };
  });
  const names = namesInFiles(toWrite);
  return habits.map((habit, place) => ({ ...habit, inFiles: names.get(toWrite[place]!)! }));
}

/** Habits without an id that only their logs tell apart: these decide which of them comes first. */
function twinsIn(habits: readonly AccountHabit[]): AccountHabit[] {
  const contentOf = ({ id: _, ...habit }: AccountHabit): string => JSON.stringify(habit);
  const seen = new Map<string, number>();
  for (const habit of habits) seen.set(contentOf(habit), (seen.get(contentOf(habit)) ?? 0) + 1);
  return habits.filter((habit) => habit.sourceId === null && seen.get(contentOf(habit))! > 1);
}
