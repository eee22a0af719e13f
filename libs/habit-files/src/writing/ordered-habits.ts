import type { HabitToWrite, LogToWrite, FileHabit } from '../habit-file';
import { freeLogSourceId, freeSourceId } from '../reading/collected-habits';
import { firstCharacters, LONGEST } from '../reading/texts';

export type WrittenFormat = 'json' | 'csv' | 'loop';

/** The members that decide on the position of a habit in a file, and on its id there. */
export type HabitToPlace = Pick<HabitToWrite, 'sourceId' | 'name' | 'start' | 'createdOn'>;

/** The members that decide on the position of a log in its habit, and on its id there. */
type LogToPlace = Pick<LogToWrite, 'sourceId' | 'localDate' | 'occurredAt'>;

/**
 * The ids of habits in files: those of their sources, and where there is none what a file that is written calls them.
 * @param habits with all that they have: of two that are alike so far the rest decides
 */
export function habitSourceIds<Habit extends HabitToPlace>(habits: readonly Habit[]): Map<Habit, string> {
  const taken = new Set(habits.flatMap(({ sourceId }) => sourceId ?? []));
  const contents = new Map<Habit, string>();
  const contentOf = (habit: Habit): string => {
    const known = contents.get(habit) ?? contentIn(habit);
    contents.set(habit, known);
    return known;
  };
  const ids = new Map<Habit, string>();
  const inOrder = [...habits].sort(
    (one, other) => byStartAndName(one, other) || compare(contentOf(one), contentOf(other)),
  );
  for (const habit of inOrder) {
    const sourceId = habit.sourceId ?? freeSourceId(habit.name, taken);
    taken.add(sourceId);
    ids.set(habit, sourceId);
  }
  return ids;
}

/**
 * The ids of logs without one, as a file that is written has them.
 * @param logs of one habit
 * @param habitSourceId its id in the file
 * @param elsewhere ids of other logs of the habit
 */
export function logSourceIds<Log extends LogToPlace>(
  logs: readonly Log[],
  habitSourceId: string,
  elsewhere: Iterable<string> = [],
): Map<Log, string> {
  const taken = new Set([...elsewhere, ...logs.flatMap(({ sourceId }) => sourceId ?? [])]);
  const without = logs.filter(({ sourceId }) => sourceId === null);
  // Of logs of one day the earlier one gets the lower number, whatever order they came in.
  without.sort(
    (one, other) =>
      compare(one.localDate, other.localDate) ||
      compare(one.occurredAt ?? '', other.occurredAt ?? '') ||
      compare(JSON.stringify(one), JSON.stringify(other)),
  );
  const ids = new Map<Log, string>();
  for (const log of without) {
    const sourceId = freeLogSourceId(habitSourceId, log.localDate, taken);
    taken.add(sourceId);
    ids.set(log, sourceId);
  }
  return ids;
}

/** The logs of a day or more, in the order of files, each with its id there. */
export function orderedLogs<Log extends LogToPlace>(
  logs: readonly Log[],
  habitSourceId: string,
  elsewhere: Iterable<string> = [],
): (Log & { sourceId: string })[] {
  const given = logSourceIds(logs, habitSourceId, elsewhere);
  return logs
    .map((log) => ({ ...log, sourceId: log.sourceId ?? given.get(log)! }))
    .sort((one, other) => compare(one.localDate, other.localDate) || compare(one.sourceId, other.sourceId));
}

/** The values by which the habits of a file are sorted. */
interface HabitInOrder extends HabitToPlace {
  readonly dailyName: string;
  /** Of the first log that the file has; null without any. */
  readonly firstDay: string | null;
}

/**
 * Habits as a file has them: in JSON by start and name. A file of days has them in the order of their first logs, then by name; those
 * without logs last.
 */
export function inFileOrder<Habit extends HabitInOrder>(format: WrittenFormat, habits: readonly Habit[]): Habit[] {
  const byFirstLog = (one: Habit, other: Habit): number =>
    compare(one.firstDay ?? LAST, other.firstDay ?? LAST) || compare(one.dailyName, other.dailyName);
  return [...habits].sort(format === 'json' ? byStartAndName : byFirstLog);
}

/** After every date and every text. */
const LAST = '\uffff';

export function byStartAndName(one: HabitToPlace, other: HabitToPlace): number {
  return (
    compare(one.createdOn ?? one.start ?? LAST, other.createdOn ?? other.start ?? LAST) ||
    compare(one.name, other.name) ||
    compare(one.sourceId ?? LAST, other.sourceId ?? LAST)
  );
}

/** The same for equal habits, whatever order their logs are in. */
function contentIn(habit: HabitToPlace & Partial<Pick<HabitToWrite, 'logs'>>): string {
  return JSON.stringify({ ...habit, logs: habit.logs?.map((log) => JSON.stringify(log)).sort() });
}

/** By code units: the same in every locale. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The name of a habit in the files that are written. */
export interface NamesInFiles {
  /** Where files have ids. */
  readonly sourceId: string;
  /** In a file that knows habits by their names alone. */
  readonly dailyName: string;
}

/** @param habits with all that they have, as for `habitSourceIds` */
export function namesInFiles<Habit extends HabitToPlace>(habits: readonly Habit[]): Map<Habit, NamesInFiles> {
  const named = [...habitSourceIds(habits)]
    .map(([habit, sourceId]) => ({ ...habit, sourceId, habit }))
    .sort(byStartAndName);
  const names = dailyNames(named);
  return new Map(named.map((one) => [one.habit, { sourceId: one.sourceId, dailyName: names.get(one)! }]));
}

type NamedHabit = Pick<FileHabit, 'sourceId' | 'name'>;

/**
 * The names of habits in a file that knows them by nothing else: `Run`, and `Run (2)` for another one. There `Run` is read as the
 * id `1:Run`, so no habit gets this name beside one that has this id, whatever that is called by now.
 * @param habits in the order of a file
 */
function dailyNames<Habit extends NamedHabit>(habits: readonly Habit[]): Map<Habit, string> {
  const owners = new Map(habits.map((habit) => [habit.sourceId, habit]));
  const taken = new Set(habits.map(({ name }) => name));
  const given = new Map<Habit, string>();
  const met = new Set<string>();
  for (const habit of habits) {
    const isFree = (name: string): boolean => {
      const owner = owners.get(freeSourceId(name, NONE));
      return owner === undefined || owner === habit;
    };
    const isFirst = !met.has(habit.name) && isFree(habit.name);
    const name = isFirst ? habit.name : freeName(habit.name, (other) => !taken.has(other) && isFree(other));
    met.add(name);
    taken.add(name);
    given.set(habit, name);
  }
  return given;
}

const NONE: ReadonlySet<string> = new Set();

function freeName(name: string, isFree: (name: string) => boolean): string {
  for (let number = 2; ; number++) {
    const end = ` (${number})`;
    const free = `${firstCharacters(name, LONGEST.name - end.length).trimEnd()}${end}`;
    if (isFree(free)) return free;
  }
}
