import { civilDate, dayNumber, type WeekStart } from '@evenkeel/scoring';
import type { CarriedFacts, FileLog, Frequency, HabitFile, HabitFileFormat, ReadHabit } from '../habit-file';
import type { Reject, Schedule } from '../habit-file';
import type { DayRule } from './days-of-instants';
import { LONGEST, TextRepair } from './texts';
import { expectAtMost, READ_LIMITS, type ReadLimits } from './unreadable-file';

/** The person whose file it is; nothing here is a function, as it may cross to another process. */
export interface ReadOptions extends Partial<DayRule> {
  /** Local date: entries of later days are rejected as not having happened yet. */
  readonly lastDay: string;
  /** Instant in UTC: the same for entries that say when they were. */
  readonly lastInstant?: string;
  /** Monday unless given. */
  readonly weekStart?: WeekStart;
  readonly limits?: Partial<ReadLimits>;
}

/** A habit before its entries. */
export interface HabitFacts extends Schedule, Partial<CarriedFacts> {
  readonly name: string;
  readonly description: string | null;
  readonly category: string | null;
  readonly archived: boolean;
  readonly frequency: Frequency;
  /** When the habit says so itself. */
  readonly startDay?: number;
  /** When it says that alone. */
  readonly createdDay?: number;
  readonly sourceId?: string;
  /** Its position in the list of its app; habits without one are last, in the order of the file. */
  readonly place?: number;
  /** For logs that mean something only beside one another. */
  readonly settle?: (logs: readonly FileLog[]) => FileLog[];
}

type LogFacts = Pick<FileLog, 'status' | 'completionRate'> & Partial<Omit<FileLog, 'localDate'>>;

/** `unknown` says that the day was looked at, and nothing more. */
export type Entry = LogFacts | 'nothing' | 'unknown';

const FIRST_DAY = 10_957; // 2000-01-01
/** 2100-01-01, before which every habit begins. */
const END_OF_STARTS = 47_482;
const DAY_MS = 86_400_000;
const KEPT_REJECTS = 1_000;
const KEPT_NOTES = 100;

/** Habits with their logs, and what could not be used, while a file is read. */
export class CollectedHabits {
  readonly limits: ReadLimits;
  readonly texts = new TextRepair();
  readonly weekStart: WeekStart;
  private readonly lastDay: number;
  private readonly lastInstantMs: number;
  private readonly all: CollectedHabit[] = [];
  private readonly sourceIds = new Set<string>();
  private readonly rejects: Reject[] = [];
  private readonly rejected = { habits: 0, logs: 0 };
  private readonly notes: string[] = [];
  /** Members of a document that hold something and are not read. */
  private readonly unread = new Set<string>();
  private moreNotes = 0;
  private rows = 0;
  private logs = 0;

  constructor(readonly options: ReadOptions) {
    const { lastDay, lastInstant, weekStart = 'MONDAY', limits } = options;
    this.limits = { ...READ_LIMITS, ...limits };
    this.lastDay = dayNumber(lastDay);
    this.lastInstantMs = lastInstant === undefined ? -Infinity : Date.parse(lastInstant);
    this.weekStart = weekStart;
  }

  /**
   * For every row that is looked at.
   * @throws UnreadableFile
   */
  countRow(): void {
    expectAtMost(this.limits.rows, ++this.rows, 'too_many_rows', 'rows');
  }

  note(sentence: string): void {
    if (this.notes.length < KEPT_NOTES) this.notes.push(sentence);
    else this.moreNotes++;
  }

  reject(what: 'habits' | 'logs', row: string, reason: string): void {
    this.rejected[what]++;
    if (this.rejects.length < KEPT_REJECTS) this.rejects.push({ row, reason });
  }

  /** Of a habit that was refused, so its log is, too. */
  rejectLogOf(habitReason: string, row: string): void {
    this.reject('logs', row, `its habit was refused: ${habitReason}`);
  }

  leaveOut(member: string): void {
    if (this.unread.size < KEPT_NOTES) this.unread.add(member);
  }

  /** @throws UnreadableFile */
  open(facts: HabitFacts): CollectedHabit {
    expectAtMost(this.limits.habits, this.all.length + 1, 'too_many_habits', 'habits');
    const habit = new CollectedHabit(facts, facts.sourceId ?? freeSourceId(facts.name, this.sourceIds));
    this.sourceIds.add(habit.sourceId);
    this.all.push(habit);
    return habit;
  }

  hasHabit(sourceId: string): boolean {
    return this.sourceIds.has(sourceId);
  }

  /**
   * @param once a second entry of the same day is rejected
   * @throws UnreadableFile
   */
  add(habit: CollectedHabit, day: number, entry: Entry, row: string, once = true): void {
    const reason = this.refusalOf(habit, day, entry, once);
    if (reason !== undefined) return this.reject('logs', row, reason);
    if (typeof entry === 'object') expectAtMost(this.limits.logs, ++this.logs, 'too_many_logs', 'logs');
    habit.take(day, entry);
  }

  private refusalOf(habit: CollectedHabit, day: number, entry: Entry, once: boolean): string | undefined {
    const instant = typeof entry === 'object' && entry.occurredAt ? Date.parse(entry.occurredAt) : NaN;
    if (day < FIRST_DAY && !(instant >= FIRST_DAY * DAY_MS)) return 'the day is before 2000-01-01';
    // That of an instant now at +14:00 is no future day, wherever the person is by now.
    if (day > this.lastDay && !(instant <= this.lastInstantMs)) return 'the day is in the future';
    if (once) return habit.entriesOn(day) > 0 ? 'a second entry of the habit for this day' : undefined;
    if (habit.entriesOn(day) >= this.limits.logsOfADay) {
      return `more than ${this.limits.logsOfADay} logs of the habit for this day`;
    }
    const isKnown = typeof entry === 'object' && entry.sourceId !== undefined && habit.hasLog(entry.sourceId);
    return isKnown ? 'a second log of this sourceId' : undefined;
  }

  /** @param ofAll notes on all habits together */
  finished(
    format: HabitFileFormat,
    { weekStart = null, ofAll = [] }: { weekStart?: HabitFile['weekStart']; ofAll?: readonly string[] } = {},
  ): HabitFile {
    const placeOf = ({ facts }: CollectedHabit): number => facts.place ?? Number.MAX_SAFE_INTEGER;
    const habits = [...this.all].sort((one, other) => placeOf(one) - placeOf(other)).map((habit) => habit.finished());
    const notes = [...this.notes, ...ofAll, ...this.texts.notes()];
    if (this.unread.size > 0) notes.push(`Not read: ${[...this.unread].join(', ')}.`);
    if (this.moreNotes > 0) notes.push(`There is more of this kind to say of ${this.moreNotes} habits.`);
    return { format, habits, rejects: this.rejects, rejected: this.rejected, notes, weekStart };
  }
}

export class CollectedHabit {
  private readonly logs: FileLog[] = [];
  private readonly days = new Map<number, number>();
  private readonly sourceIds = new Set<string>();
  private first = Infinity;
  private last = -Infinity;

  constructor(
    readonly facts: HabitFacts,
    readonly sourceId: string,
  ) {}

  entriesOn(day: number): number {
    return this.days.get(day) ?? 0;
  }

  hasLog(sourceId: string): boolean {
    return this.sourceIds.has(sourceId);
  }

  take(day: number, entry: Entry): void {
    this.days.set(day, this.entriesOn(day) + 1);
    if (entry === 'unknown') return;
    this.first = Math.min(this.first, day);
    this.last = Math.max(this.last, day);
    if (entry === 'nothing') return;
    const localDate = civilDate(day);
    const sourceId = entry.sourceId ?? freeLogSourceId(this.sourceId, localDate, this.sourceIds);
    this.sourceIds.add(sourceId);
    this.logs.push({
      localDate,
      sourceId,
      occurredAt: entry.occurredAt ?? null,
      status: entry.status,
      completionRate: entry.completionRate,
      durationMinutes: entry.durationMinutes ?? null,
      moodScore: entry.moodScore ?? null,
      energyScore: entry.energyScore ?? null,
      stressScore: entry.stressScore ?? null,
      contextTags: entry.contextTags ?? [],
      note: entry.note ?? null,
    });
  }

  finished(): ReadHabit {
    const { startDay, createdDay, place: _, settle, ...facts } = this.facts;
    const isObserved = this.first !== Infinity;
    const start = startDay ?? Math.min(createdDay ?? Infinity, this.first);
    // Nobody gave a start: entries of a later file may be earlier.
    const createdOn = createdDay ?? (startDay === undefined ? this.first : Infinity);
    return {
      question: null,
      interval: null,
      order: null,
      color: null,
      ...facts,
      sourceId: this.sourceId,
      start: start === Infinity ? null : civilDate(start),
      createdOn: createdOn === Infinity ? null : civilDate(createdOn),
      observed: isObserved ? { from: civilDate(this.first), to: civilDate(this.last) } : null,
      logs: settle ? settle(this.logs) : this.logs,
    };
  }
}

/** Whether a habit may begin on that day. */
export function isStart(day: number): boolean {
  return day >= FIRST_DAY && day < END_OF_STARTS;
}

/** The id of a habit by its name, which is what it has in files of every kind: `1:Run`, and `2:Run` for another one. */
export function freeSourceId(name: string, taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`${number}:${name}`)) number++;
  return `${number}:${name}`;
}

/** The id of a log by its habit and day: `1:Run/2026-01-31`, and `1:Run/2026-01-31/2` for another one. */
export function freeLogSourceId(habitSourceId: string, localDate: string, taken: ReadonlySet<string>): string {
  const first = `${habitSourceId}/${localDate}`;
  if (!taken.has(first)) return first;
  let number = 2;
  while (taken.has(`${first}/${number}`)) number++;
  return `${first}/${number}`;
}

/** A note stays with what was done or skipped; of a day without a log it is said that it is left out. */
export function withNote(entry: Entry, note: string, texts: TextRepair): Entry {
  if (note === '') return entry;
  if (typeof entry === 'object') return { ...entry, note: texts.text(note, LONGEST.note) };
  texts.leaveOutNote();
  return entry;
}

/** @returns the day number of a date such as 2026-01-31; undefined when there is no such day */
export function dayOf(text: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  try {
    return dayNumber(text);
  } catch {
    return undefined;
  }
}
