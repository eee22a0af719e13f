import { freeLogSourceId, freeSourceId } from '../reading/collected-habits';
import type { FileHabit, FileLog, HabitToWrite, LogToWrite } from '../habit-file';

/** Habits by start and name, logs by day and id of their source; what has no such id gets one. */
export function orderedHabits(habits: readonly HabitToWrite[]): FileHabit[] {
  const taken = new Set(habits.flatMap(({ sourceId }) => sourceId ?? []));
  const inOrder = [...habits].sort(
    (one, other) =>
      compare(one.start ?? LAST, other.start ?? LAST) ||
      compare(one.name, other.name) ||
      compare(one.sourceId ?? LAST, other.sourceId ?? LAST) ||
      compare(JSON.stringify(one), JSON.stringify(other)),
  );
  return inOrder
    .map((habit) => {
      const sourceId = habit.sourceId ?? freeSourceId(habit.name, taken);
      taken.add(sourceId);
      return { ...habit, sourceId, logs: orderedLogs(habit.logs, sourceId) };
    })
    .sort(
      (one, other) =>
        compare(one.start ?? LAST, other.start ?? LAST) ||
        compare(one.name, other.name) ||
        compare(one.sourceId, other.sourceId),
    );
}

function orderedLogs(logs: readonly LogToWrite[], habitSourceId: string): FileLog[] {
  const taken = new Set(logs.flatMap(({ sourceId }) => sourceId ?? []));
  const without = logs.filter(({ sourceId }) => sourceId === null);
  // Of logs of one day the earlier one gets the lower number, whatever order they came in.
  without.sort(
    (one, other) =>
      compare(one.localDate, other.localDate) ||
      compare(one.occurredAt ?? '', other.occurredAt ?? '') ||
      compare(JSON.stringify(one), JSON.stringify(other)),
  );
  const given = new Map<LogToWrite, string>();
  for (const log of without) {
    const sourceId = freeLogSourceId(habitSourceId, log.localDate, taken);
    taken.add(sourceId);
    given.set(log, sourceId);
  }
  return logs
    .map((log): FileLog => ({ ...log, sourceId: log.sourceId ?? given.get(log)! }))
    .sort((one, other) => compare(one.localDate, other.localDate) || compare(one.sourceId, other.sourceId));
}

/** After every date and every text. */
const LAST = '\uffff';

/** By code units: the same in every locale. */
export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
