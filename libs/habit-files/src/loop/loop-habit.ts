import { dayNumber, firstDayOfWeek, type WeekStart } from '@evenkeel/scoring';
import type { FileLog, Frequency } from '../habit-file';
import type { CollectedHabit, CollectedHabits, Entry } from '../reading/collected-habits';
import { intervalOf, isFrequency, scheduleNote, scheduleOf } from '../reading/schedules';
import { LONGEST, usableName } from '../reading/texts';

/** Puts the question of the app before the description, because people read only that. */
export function describedWith(question: string | null, description: string): string {
  return [question ?? '', description].filter((text) => text !== '').join('\n\n');
}

/** The description without the question before it. */
export function descriptionAlone(description: string, question: string): string {
  if (question === '') return description;
  if (description === question) return '';
  const opening = `${question}\n\n`;
  return description.startsWith(opening) ? description.slice(opening.length) : description;
}

/** The colours of the tracker, by the number that its database has. */
const COLOURS: readonly string[] = [
  '#d32f2f',
  '#e64a19',
  '#f57c00',
  '#ff8f00',
  '#f9a825',
  '#afb42b',
  '#7cb342',
  '#388e3c',
  '#00897b',
  '#00acc1',
  '#039be5',
  '#1976d2',
  '#303f9f',
  '#5e35b1',
  '#8e24aa',
  '#d81b60',
  '#5d4037',
  '#424242',
  '#757575',
  '#9e9e9e',
];

/** The colour of a habit to which nobody gave one. */
const USUAL = 8;

/** @returns null where there is no colour of this number */
export function colourOfNumber(number: number): string | null {
  return COLOURS[number] ?? null;
}

/** @returns null where the text is no colour such as #FF8F00 */
export function colourOfText(text: string): string | null {
  return /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : null;
}

/** The number of the colour that looks most like it. */
export function numberOfColour(colour: string | null): number {
  if (colour === null) return USUAL;
  const distances = COLOURS.map((other) => distanceOf(colour, other));
  return distances.indexOf(Math.min(...distances));
}

function distanceOf(one: string, other: string): number {
  const part = (colour: string, at: number) => parseInt(colour.slice(at, at + 2), 16);
  return [1, 3, 5].reduce((sum, at) => sum + (part(one, at) - part(other, at)) ** 2, 0);
}

/** The target to reach, or not to exceed. */
export interface Measure {
  readonly atMost: boolean;
  readonly target: number;
}

/** @returns 1 where the target is reached, or not exceeded */
export function shareOfTarget(number: number, { atMost, target }: Measure): number {
  if (atMost ? number <= target : number >= target) return 1;
  return atMost ? target / number : number / target;
}

/** Four decimals are kept of a rate. */
const RATES = 10_000;
const ALMOST = 1e-9;

interface Week {
  sum: number;
  days: number;
  /** Sum of the shares of the target as they are kept. */
  kept: number;
}

/**
 * Rates of logs that hold numbers, so that each week comes out as its sum does. "At least": each day has its share of the target, and
 * the shares of a week add up to 1 exactly when its numbers reach it. "At most": all days of a week are done, or none is wholly.
 * @param logs skipped ones stay as they are
 * @param measure of a week
 */
export function sharesOfWeeks(logs: readonly FileLog[], measure: Measure, weekStart: WeekStart): FileLog[] {
  const weekOf = ({ localDate }: FileLog): number => firstDayOfWeek(dayNumber(localDate), weekStart);
  const weeks = new Map<number, Week>();
  for (const log of logs) {
    if (log.status === 'SKIPPED') continue;
    const { sum, days, kept } = weeks.get(weekOf(log)) ?? { sum: 0, days: 0, kept: 0 };
    // As it is stored: half a ten-thousandth may fall to either side.
    const share = Number((log.completionRate / measure.target).toFixed(4));
    weeks.set(weekOf(log), { sum: sum + log.completionRate, days: days + 1, kept: kept + share });
  }
  return logs.map((log) => {
    if (log.status === 'SKIPPED') return log;
    const rate = rateInWeek(log.completionRate, measure, weeks.get(weekOf(log))!);
    return rate >= 1 ? { ...log, status: 'COMPLETED', completionRate: 1 } : { ...log, completionRate: rate };
  });
}

function rateInWeek(number: number, { atMost, target }: Measure, { sum, days, kept }: Week): number {
  const isMet = atMost ? sum <= target + ALMOST : sum >= target - ALMOST;
  if (atMost) return isMet ? 1 : Math.floor((target / sum / days) * RATES) / RATES;
  if (target === 0) return 1;
  const share = number / target;
  if (isMet === kept >= 1 - ALMOST) return share;
  return (isMet ? Math.ceil(share * RATES) : Math.floor(share * RATES)) / RATES;
}

/** A habit as Loop Habit Tracker keeps it. */
export interface LoopHabit {
  readonly name: string;
  readonly question: string;
  readonly description: string;
  readonly frequency: Frequency;
  readonly archived: boolean;
  /** In the list of the tracker, from 0; null where the file does not say. */
  readonly order: number | null;
  readonly color: string | null;
  /** Of a habit that is counted; else it is done or not. */
  readonly number?: Counted;
}

type Counted = Measure & { readonly unit: string };

/** Of a database or of `Habits.csv`, each value as stored. */
interface StatedHabit extends Omit<LoopHabit, 'frequency' | 'order' | 'number'>, Frequency, Counted {
  readonly order: number;
  readonly numerical: boolean;
}

/** @returns why it cannot be read, or the habit */
export function loopHabitOf(stated: StatedHabit): LoopHabit | { reason: string } {
  const named = usableName(stated.name);
  if ('reason' in named) return named;
  const { times, days, order, numerical, atMost, target, unit, ...facts } = stated;
  const frequency = { times, days };
  if (!isFrequency(frequency)) return { reason: 'no frequency' };
  if (numerical && !(target >= 0 && Number.isFinite(target))) return { reason: 'a number without a target' };
  const habit = { ...facts, ...named, frequency, order: isOrder(order) ? order : null };
  return numerical ? { ...habit, number: { atMost, target, unit } } : habit;
}

/** As a habit of ours can have it. */
function isOrder(order: number): boolean {
  return Number.isInteger(order) && Math.abs(order) < 2 ** 31;
}

/** Starts the habit, and notes what is changed. */
export function openLoopHabit(collected: CollectedHabits, loop: LoopHabit): CollectedHabit {
  const { name, frequency, archived, order, color, number } = loop;
  const schedule = scheduleOf(frequency);
  const weekly = weeklyMeasure(loop);
  const scheduled = weekly ? undefined : scheduleNote(name, frequency);
  if (scheduled !== undefined) collected.note(scheduled);
  if (number) collected.note(`"${name}" counts: ${countedAs(number, weekly, frequency)}.`);
  const question = collected.texts.textOrNull(loop.question, LONGEST.question);
  return collected.open({
    name,
    archived,
    frequency,
    category: null,
    ...schedule,
    place: order ?? undefined,
    question,
    order,
    color,
    interval: intervalOf(schedule, frequency),
    description: collected.texts.textOrNull(describedWith(question, loop.description), LONGEST.description),
    ...(weekly && { settle: (logs) => sharesOfWeeks(logs, weekly, collected.weekStart) }),
  });
}

function countedAs(number: Counted, weekly: Measure | undefined, { days }: Frequency): string {
  const [stated, inWeeks] = [number, weekly].map((measure) => {
    const { atMost, target } = measure ?? number;
    return `at ${atMost ? 'most' : 'least'} ${Number(target.toFixed(2))} ${number.unit}`.trim();
  });
  if (!weekly) return `its numbers are read as shares of the target, ${stated}; half of it keeps a streak here`;
  const over = number.atMost
    ? 'all days of a week that is over it are read as missed'
    : 'the days of a week are added up';
  return days === 7 ? `${stated} a week; ${over}` : `${stated} in ${days} days is read as ${inWeeks} a week; ${over}`;
}

/** The target of a week, of a habit whose numbers are added up over 7 days or a month; of others each day stands alone. */
function weeklyMeasure({ number, frequency: { times, days } }: LoopHabit): Measure | undefined {
  if (!number || times !== 1 || (days !== 7 && !isMonth(days))) return undefined;
  return { atMost: number.atMost, target: (number.target * 7) / days };
}

export function isMonth(days: number): boolean {
  return days === 30 || days === 31;
}

/** Loop shows this value as a skipped day, of habits that are counted too, and leaves the strength as it was. */
export const SKIPPED = 3;
const DONE = 2;

/** The entry that a value in a row of the database stands for; undefined for none. */
export function entryOf(value: number, loop: LoopHabit): LoopEntry | undefined {
  if (value === SKIPPED) return { status: 'SKIPPED', completionRate: 0 };
  if (value === -1) return 'unknown';
  if (loop.number) return entryOfNumber(value, loop.number, weeklyMeasure(loop) !== undefined);
  if (value === DONE) return { status: 'COMPLETED', completionRate: 1 };
  if (value === 0) return 'nothing';
  return value === 1 ? 'filled in' : undefined;
}

/**
 * @param value the number times 1000
 * @param isAdded the rate is the number itself until its week is known
 */
function entryOfNumber(value: number, measure: Measure, isAdded: boolean): LoopEntry | undefined {
  if (!Number.isFinite(value) || value < 0) return undefined;
  const number = value / 1_000;
  if (isAdded) return { status: 'PARTIAL', completionRate: number };
  const share = shareOfTarget(number, measure);
  return share === 1 ? { status: 'COMPLETED', completionRate: 1 } : { status: 'PARTIAL', completionRate: share };
}

/** An entry of the tracker; one that it made by itself, of the frequency, says nothing of its day. */
export type LoopEntry = Entry | 'filled in';

const SENTENCES = {
  reminder: 'Reminders left out',
  nothing: 'Days marked as not done, which are days without a log here',
  'filled in': 'Days filled in by how often their habit is due, which are days without a log here',
  unknown: 'Days marked as unknown, which are days without a log here',
} as const;

/** Counts what Loop has and a habit with its logs cannot hold. */
export class LeftOut {
  private readonly counts = new Map<keyof typeof SENTENCES, number>();

  count(what: keyof typeof SENTENCES): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** @returns the entry as a habit takes it */
  entry(entry: LoopEntry): Entry {
    if (typeof entry === 'object') return entry;
    this.count(entry);
    return entry === 'filled in' ? 'unknown' : entry;
  }

  notes(): string[] {
    return Object.entries(SENTENCES).flatMap(([what, sentence]) => {
      const count = this.counts.get(what as keyof typeof SENTENCES);
      return count === undefined ? [] : [`${sentence}: ${count.toLocaleString('en')}.`];
    });
  }
}
