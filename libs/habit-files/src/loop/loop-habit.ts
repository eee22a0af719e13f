import type { Frequency } from '../habit-file';
import type { CollectedHabit, CollectedHabits } from '../reading/collected-habits';
import { isFrequency, scheduleNote, scheduleOf } from '../reading/schedules';
import { LONGEST, usableName } from '../reading/texts';
import type { LoopEntry } from './left-out';

/** A habit as Loop Habit Tracker keeps it. */
export interface LoopHabit {
  readonly name: string;
  readonly description: string | null;
  readonly frequency: Frequency;
  readonly archived: boolean;
  /** In the list of the tracker; undefined where the file does not say. */
  readonly position: number | undefined;
  /** Of a habit that is counted; else it is done or not. */
  readonly number?: { readonly atMost: boolean; readonly target: number; readonly unit: string };
}

/** Of a database or of `Habits.csv`, each value as it lies there. */
interface StatedHabit {
  readonly name: string;
  readonly question: string;
  readonly description: string;
  readonly times: number;
  readonly days: number;
  readonly archived: boolean;
  readonly position: number;
  readonly numerical: boolean;
  readonly atMost: boolean;
  readonly target: number;
  readonly unit: string;
}

/** @returns why it cannot be read, or the habit */
export function loopHabitOf(stated: StatedHabit): LoopHabit | { reason: string } {
  const named = usableName(stated.name);
  if ('reason' in named) return named;
  const { times, days, question, description, archived, position, numerical, atMost, target, unit } = stated;
  const frequency = { times, days };
  if (!isFrequency(frequency)) return { reason: 'no frequency' };
  if (numerical && !(target >= 0 && Number.isFinite(target))) return { reason: 'a number without a target' };
  const texts = [question, description].filter((text) => text !== '');
  const habit = {
    ...{ ...named, frequency, archived, description: texts.length === 0 ? null : texts.join('\n\n') },
    position: Number.isFinite(position) ? position : undefined,
  };
  return numerical ? { ...habit, number: { atMost, target, unit } } : habit;
}

/** Opens the habit, and says what becomes other than it was. */
export function openLoopHabit(collected: CollectedHabits, loop: LoopHabit): CollectedHabit {
  const { name, description, frequency, archived, position, number } = loop;
  const schedule = scheduleNote(name, frequency);
  if (schedule !== undefined) collected.note(schedule);
  if (number) {
    const target = `at ${number.atMost ? 'most' : 'least'} ${number.target} ${number.unit}`.trim();
    const sentence = `its numbers are read as shares of the target, ${target}; half of it keeps a streak here`;
    collected.note(`"${name}" counts: ${sentence}.`);
  }
  return collected.open({
    ...{ name, archived, frequency, category: null, ...scheduleOf(frequency), place: position },
    description: description === null ? null : collected.texts.text(description, LONGEST.description),
  });
}

/** Loop shows this value as a skipped day, of habits that are counted too, and leaves the strength as it was. */
export const SKIPPED = 3;
const DONE = 2;

/** What a value in a row of the database says; undefined when it means nothing. */
export function entryOf(value: number, { number }: LoopHabit): LoopEntry | undefined {
  if (value === SKIPPED) return { status: 'SKIPPED', completionRate: 0 };
  if (value === -1) return 'unknown';
  if (number) return entryOfNumber(value, number);
  if (value === DONE) return { status: 'COMPLETED', completionRate: 1 };
  if (value === 0) return 'nothing';
  return value === 1 ? 'filled in' : undefined;
}

/** @param value the number times 1000 */
function entryOfNumber(value: number, { atMost, target }: NonNullable<LoopHabit['number']>): LoopEntry | undefined {
  if (!Number.isFinite(value) || value < 0) return undefined;
  const number = value / 1_000;
  const reached = atMost ? number <= target : number >= target;
  if (reached) return { status: 'COMPLETED', completionRate: 1 };
  return { status: 'PARTIAL', completionRate: atMost ? target / number : number / target };
}
