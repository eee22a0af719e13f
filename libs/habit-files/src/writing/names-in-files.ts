import { freeSourceId } from '../reading/collected-habits';
import { firstCharacters, LONGEST } from '../reading/texts';
import type { FileHabit } from '../habit-file';
import { byStartAndName, habitSourceIds, type HabitToPlace } from './ordered-habits';

/** What a habit is called in the files that are written. */
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
export function dailyNames<Habit extends NamedHabit>(habits: readonly Habit[]): Map<Habit, string> {
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
