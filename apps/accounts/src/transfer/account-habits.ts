import {
  namesInFiles,
  orderedLogs,
  type FileLog,
  type HabitToWrite,
  type LogToWrite,
  type NamesInFiles,
  type HabitFile,
  type ReadHabit,
} from '@evenkeel/habit-files';
import { pagesOf, type Query } from '@evenkeel/platform/validation';

/** A habit that an account has, without its logs, as files tell it. */
export type AccountHabit = Omit<HabitToWrite, 'logs'> & { readonly id: string };

/** The same with what files call it. */
export type NamedHabit = AccountHabit & { readonly inFiles: NamesInFiles };

/** The first and the last instant of starts have days beside the years of files in some zones. */
const START_IN_FILES = `greatest(least(start_day, '2099-12-31'), '2000-01-01')::text`;

/** A habit that only the cap of the plan archived is active in files: the plan is ours, and no fact of the person. */
const HABITS = `
  SELECT id, source_id AS "sourceId", name, description, category, cadence, target_per_week AS "targetPerWeek",
    target_days_mask AS "targetDaysMask", CASE WHEN start_given THEN ${START_IN_FILES} END AS start,
    CASE WHEN NOT start_given THEN ${START_IN_FILES} END AS "createdOn",
    archived_at IS NOT NULL AND archived_at IS DISTINCT FROM archived_over_cap_at AS archived, question,
    CASE WHEN interval_times IS NOT NULL THEN json_build_object('times', interval_times, 'days', interval_days) END
      AS interval, sort_order AS "order", color
  FROM habits WHERE user_id = $1 ORDER BY created_at, id`;

/** Columns of `habit_logs` that say where a log belongs. */
export const PLACE_COLUMNS = `
  source_id AS "sourceId", local_date::text AS "localDate",
  to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "occurredAt"`;

/** The same as a log that is written. */
const LOG_COLUMNS = `${PLACE_COLUMNS}, status,
  completion_rate::float8 AS "completionRate", duration_minutes AS "durationMinutes", mood_score AS "moodScore",
  energy_score AS "energyScore", stress_score AS "stressScore", context_tags AS "contextTags", note`;

const LOGS = `SELECT ${LOG_COLUMNS} FROM habit_logs WHERE user_id = $1 AND habit_id = $2 ORDER BY local_date, occurred_at, id`;

/** Such as the id of a log would be without its own, but of another day: that of a log whose day was changed. */
const MOVED_IDS = `
  SELECT source_id AS "sourceId" FROM habit_logs
  WHERE user_id = $1 AND habit_id = $2 AND starts_with(source_id, $3 || '/')
    AND NOT starts_with(source_id, $3 || '/' || local_date)`;

/** A number for each log, the same for equal ones. */
const CONTENTS = `
  SELECT hashtextextended(to_jsonb(l)::text, 0)::text AS content
  FROM (SELECT ${LOG_COLUMNS} FROM habit_logs WHERE user_id = $1 AND habit_id = $2) AS l`;

/**
 * Of a person, oldest first, each with what it is called in a file of all of them.
 * @param query in a transaction
 */
export async function readNamedHabits(query: Query, userId: string): Promise<NamedHabit[]> {
  const habits = await query<AccountHabit>(HABITS, [userId]);
  const contents = new Map<AccountHabit, string>();
  for (const twin of twinsIn(habits)) contents.set(twin, await contentOf(query, userId, twin));
  const toName = habits.map((habit) => {
    const { id: _, ...rest } = habit;
    return { ...rest, content: contents.get(habit) };
  });
  const names = namesInFiles(toName);
  return habits.map((habit, place) => ({ ...habit, inFiles: names.get(toName[place]!)! }));
}

/** Habits without an id that only their logs tell apart: these decide which of them comes first. */
function twinsIn(habits: readonly AccountHabit[]): AccountHabit[] {
  const factsOf = ({ id: _, ...habit }: AccountHabit): string => JSON.stringify(habit);
  const seen = new Map<string, number>();
  for (const habit of habits) seen.set(factsOf(habit), (seen.get(factsOf(habit)) ?? 0) + 1);
  return habits.filter((habit) => habit.sourceId === null && seen.get(factsOf(habit))! > 1);
}

/** Of the logs of a habit, whatever order they are in: no log is held for it. */
async function contentOf(query: Query, userId: string, { id }: AccountHabit): Promise<string> {
  let sum = 0n;
  for await (const page of pagesOf<{ content: string }>(query, CONTENTS, [userId, id])) {
    for (const { content } of page) sum += BigInt(content);
  }
  return String(sum);
}

/**
 * The logs of a habit as files have them, in their order, some at a time. A day at least: what the logs of a day are called depends
 * on all of them.
 * @param query in a transaction
 */
export async function* logsInFiles(
  query: Query,
  userId: string,
  { id, inFiles: { sourceId } }: NamedHabit,
): AsyncGenerator<FileLog[]> {
  const moved = await query<{ sourceId: string }>(MOVED_IDS, [userId, id, sourceId]);
  const elsewhere = moved.map((log) => log.sourceId);
  let lastDay: LogToWrite[] = [];
  for await (const page of pagesOf<LogToWrite>(query, LOGS, [userId, id])) {
    const logs = [...lastDay, ...page];
    const { localDate } = logs.at(-1)!;
    lastDay = logs.filter((log) => log.localDate === localDate);
    yield orderedLogs(logs.slice(0, -lastDay.length), sourceId, elsewhere);
  }
  yield orderedLogs(lastDay, sourceId, elsewhere);
}

type KnownHabit = Pick<NamedHabit, 'name' | 'sourceId' | 'inFiles'>;
type HabitOfFile = Pick<ReadHabit, 'name' | 'sourceId'>;

/**
 * The habits of an account that habits of a file are, each at most once: by the id that both have in files, else by the name. A file
 * of names alone has those that an export gives; in JSON, whose ids say more, only a habit without a source is meant by its name.
 */
export function matchHabits<Habit extends HabitOfFile, Known extends KnownHabit>(
  { format, habits }: { format: HabitFile['format']; habits: readonly Habit[] },
  known: readonly Known[],
): Map<Habit, Known> {
  const left = new Set(known);
  const matches = new Map<Habit, Known>();
  const match = (habit: Habit, found: Known | undefined): void => {
    if (!found) return;
    left.delete(found);
    matches.set(habit, found);
  };
  const byId = new Map(known.map((habit) => [habit.inFiles.sourceId, habit]));
  for (const habit of habits) match(habit, byId.get(habit.sourceId));
  const isMeant = (name: string, { name: own, sourceId, inFiles }: Known): boolean =>
    format === 'json' ? sourceId === null && own === name : inFiles.dailyName === name;
  for (const habit of habits) {
    if (matches.has(habit)) continue;
    const meant = [...left].find((other) => isMeant(habit.name, other));
    match(habit, meant);
  }
  return matches;
}
