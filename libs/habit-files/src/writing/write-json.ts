import type { FileHabit, FileLog, HabitToWrite } from '../habit-file';
import { OWN_FORMAT, OWN_VERSION } from '../reading/own-json';
import { intervalOf } from '../reading/schedules';
import { orderedHabits } from './ordered-habits';

/** All of the habits and their logs, a line each. What is absent, or as it is read when absent, is left out of a log. */
export function writeJson(habits: readonly HabitToWrite[]): Uint8Array {
  const opening = `{"format":${JSON.stringify(OWN_FORMAT)},"version":${OWN_VERSION},"habits":[`;
  // Bytes, habit by habit: one text of all would be twice as long as its bytes, for a single character beyond Latin-1.
  const parts = orderedHabits(habits).map((habit, at) => Buffer.from(`${at === 0 ? '\n' : ',\n'}${habitText(habit)}`));
  return Buffer.concat([Buffer.from(opening), ...parts, Buffer.from(parts.length === 0 ? ']}\n' : '\n]}\n')]);
}

function habitText({ sourceId, start, createdOn, logs, ...habit }: FileHabit): string {
  const { name, description, category, cadence, targetPerWeek, targetDaysMask, archived } = habit;
  const members = { sourceId, name, description, category, cadence, targetPerWeek, targetDaysMask };
  const begins = createdOn === null ? { startDate: start } : { startDate: null, createdOn };
  const carried = { ...stated(habit, ['question', 'order', 'color']), ...intervalMember(habit) };
  const opening = JSON.stringify({ ...members, ...begins, archived, ...carried }).slice(0, -1);
  const lines = logs.map((log) => JSON.stringify(logMembers(log, sourceId)));
  return lines.length === 0 ? `${opening},"logs":[]}` : `${opening},"logs":[\n${lines.join(',\n')}\n]}`;
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
function intervalMember(habit: Omit<FileHabit, 'sourceId' | 'start' | 'createdOn' | 'logs'>): object {
  const interval = habit.interval && intervalOf(habit, habit.interval);
  return interval ? { interval } : {};
}

function stated<Of extends object>(of: Of, members: readonly (keyof Of)[]): object {
  return Object.fromEntries(members.flatMap((member) => (of[member] === null ? [] : [[member, of[member]]])));
}
