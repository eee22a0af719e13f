import type { HabitFile, ReadHabit } from '@evenkeel/habit-files';
import type { NamedHabit } from './account-habits';

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
    if (!matches.has(habit))
      match(
        habit,
        [...left].find((other) => isMeant(habit.name, other)),
      );
  }
  return matches;
}
