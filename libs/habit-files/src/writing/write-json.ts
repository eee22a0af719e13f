import type { FileLog, HabitInFile, Schedule } from '../habit-file';
import { OWN_FORMAT, OWN_VERSION } from '../reading/own-json';
import { intervalOf } from '../reading/schedules';

/** All of the habits and their logs, a line each. What is absent, or as it is read when absent, is left out of a log. */
export async function* writtenJson(habits: Iterable<HabitInFile>): AsyncGenerator<string> {
  yield `{"format":${JSON.stringify(OWN_FORMAT)},"version":${OWN_VERSION},"habits":[`;
  let before = '\n';
  for (const habit of habits) {
    yield `${before}${opening(habit)},"logs":[`;
    let beforeLogs = '\n';
    for await (const logs of habit.logs) {
      if (logs.length === 0) continue;
      yield beforeLogs + logs.map((log) => JSON.stringify(logMembers(log, habit.sourceId))).join(',\n');
      beforeLogs = ',\n';
    }
    yield beforeLogs === '\n' ? ']}' : '\n]}';
    before = ',\n';
  }
  yield before === '\n' ? ']}\n' : '\n]}\n';
}

/** All of a habit but its logs, and not closed. */
function opening({ sourceId, start, createdOn, ...habit }: HabitInFile): string {
  const { name, description, category, cadence, targetPerWeek, targetDaysMask, archived } = habit;
  const members = { sourceId, name, description, category, cadence, targetPerWeek, targetDaysMask };
  const begins = createdOn === null ? { startDate: start } : { startDate: null, createdOn };
  const carried = { ...stated(habit, ['question', 'order', 'color']), ...intervalMember(habit) };
  return JSON.stringify({ ...members, ...begins, archived, ...carried }).slice(0, -1);
}

const IMPLIED_RATE = { COMPLETED: 1, PARTIAL: 0.5, SKIPPED: 0 };

function logMembers(log: FileLog, habitSourceId: string): object {
  const { localDate, sourceId, occurredAt, status, completionRate, contextTags, note } = log;
  return {
    localDate,
    ...(sourceId !== `${habitSourceId}/${localDate}` && { sourceId }),
    ...(occurredAt !== null && { occurredAt }),
    status,
    ...(completionRate !== IMPLIED_RATE[status] && { completionRate }),
    ...stated(log, ['durationMinutes', 'moodScore', 'energyScore', 'stressScore']),
    ...(contextTags.length > 0 && { contextTags }),
    ...(note !== null && { note }),
  };
}

/** How often the habit is due in another app, while its schedule is still made of that. */
function intervalMember(habit: Pick<HabitInFile, 'interval' | keyof Schedule>): object {
  const interval = habit.interval && intervalOf(habit, habit.interval);
  return interval ? { interval } : {};
}

function stated<Of extends object>(of: Of, members: readonly (keyof Of)[]): object {
  return Object.fromEntries(members.flatMap((member) => (of[member] === null ? [] : [[member, of[member]]])));
}
