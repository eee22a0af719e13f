export type HabitFileFormat = 'loop-zip' | 'loop-database' | 'csv' | 'json';
export type Cadence = 'DAILY' | 'WEEKLY' | 'CUSTOM';
export type LogStatus = 'COMPLETED' | 'PARTIAL' | 'SKIPPED';

/** When a habit is due, all of it stated. */
export interface Schedule {
  readonly cadence: Cadence;
  /** Sessions, 1 to 14. */
  readonly targetPerWeek: number;
  /** Bit 0 Monday to bit 6 Sunday; 0 means no fixed days. */
  readonly targetDaysMask: number;
}

/** How often a habit is due as its file says it: so many times in so many days. */
export interface Frequency {
  readonly times: number;
  readonly days: number;
}

/** Members that other apps keep of a habit, kept so that files for these apps have them again. */
export interface CarriedFacts {
  /** The question that the app asks every day. The description begins with it, as people read that. */
  readonly question: string | null;
  /** How often it is due there, where our schedule says something else: 2 times in 3 days. */
  readonly interval: Frequency | null;
  /** Its position among the others, small ones first; those without one are last. */
  readonly order: number | null;
  /** `#rrggbb` in small letters. */
  readonly color: string | null;
}

export interface FileLog {
  /** Local date, YYYY-MM-DD. */
  readonly localDate: string;
  /** The same each time the file is read; no other log of the habit has it. */
  readonly sourceId: string;
  /** Instant in UTC, as `toISOString` writes it; null where a file knows days alone. */
  readonly occurredAt: string | null;
  readonly status: LogStatus;
  /** 0 to 1; 1 of COMPLETED, 0 of SKIPPED. */
  readonly completionRate: number;
  /** 0 to 1440. */
  readonly durationMinutes: number | null;
  /** 1 to 10, as are the two others. */
  readonly moodScore: number | null;
  readonly energyScore: number | null;
  readonly stressScore: number | null;
  readonly contextTags: readonly string[];
  readonly note: string | null;
}

export interface FileHabit extends Schedule, CarriedFacts {
  /** The same each time the file is read; no other habit of the file has it. */
  readonly sourceId: string;
  /** 2 to 120 characters. */
  readonly name: string;
  readonly description: string | null;
  readonly category: string | null;
  /** Local date on which it begins; null where neither the habit nor an entry of it tells. */
  readonly start: string | null;
  /** Local date of its creation, else of its first entry, where nobody said when it begins: it begins then, or with an earlier log. */
  readonly createdOn: string | null;
  readonly archived: boolean;
  /** In the order of the file. */
  readonly logs: readonly FileLog[];
}

/** A habit with what only its file knows. */
export interface ReadHabit extends FileHabit {
  readonly frequency: Frequency;
  /** Local dates between which the file says what was done, and what was not. */
  readonly observed: { readonly from: string; readonly to: string } | null;
}

export interface Reject {
  /** `line 12`, or the place in a database or a JSON document. */
  readonly row: string;
  readonly reason: string;
}

export interface HabitFile {
  readonly format: HabitFileFormat;
  readonly habits: readonly ReadHabit[];
  /** The first 1,000, in the order of the file. */
  readonly rejects: readonly Reject[];
  readonly rejected: { readonly habits: number; readonly logs: number };
  /** Sentences on what was read otherwise than the file has it. */
  readonly notes: readonly string[];
  /** Where the file says it. */
  readonly weekStart: 'MONDAY' | 'SUNDAY' | 'SATURDAY' | null;
}

/** A habit as it is written, with what files call it. */
export interface HabitInFile extends Omit<FileHabit, 'logs'> {
  /** Where a file knows habits by their names alone. */
  readonly dailyName: string;
  /** Each with the id of its source, in the order of their days, some at a time. */
  readonly logs: AsyncIterable<readonly FileLog[]>;
}

/** A log as it is written; without an id of its source it gets one from its habit and day. */
export type LogToWrite = Omit<FileLog, 'sourceId'> & { readonly sourceId: string | null };

/** A habit as it is written; without an id of its source its name gives one. With `createdOn` its start is ignored. */
export type HabitToWrite = Omit<FileHabit, 'sourceId' | 'logs'> & {
  readonly sourceId: string | null;
  readonly logs: readonly LogToWrite[];
};
