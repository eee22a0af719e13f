import { FileApart, type FileLog, type KnownLog, type OpenedHabit, type Reject } from '@evenkeel/habit-files';
import { Clock, instantOfLocalNoon, localDate, uuidv7 } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { pagesOf, type Query } from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { CrashPoint } from '../accounts.config';
import { limitsAt } from '../entitlements/plan-refusals';
import { countHabits, WRITABLE_HABITS } from '../habits/habit-rules';
import { Habit } from '../habits/habit.entity';
import { MAX_LOGS, MAX_LOGS_A_DAY, roomForLogs } from '../logs/stored-log';
import type { AccountUser } from '../users/account-user';
import { lockSignedIn } from '../users/lock-user';
import { User } from '../users/users.entities';
import { PLACE_COLUMNS, readNamedHabits, type NamedHabit, matchHabits } from './account-habits';
import { readOptionsOf } from './receive-file';
import type { ImportView } from './transfer.controller';
import { Turns } from './turns';

const HABITS_MOST = 500;
/** Rows of one statement. */
const SLICE = 1_000;
const REJECTS_LISTED = 1_000;

const KNOWN_LOGS = `SELECT ${PLACE_COLUMNS} FROM habit_logs WHERE user_id = $1 AND habit_id = $2`;

/** Many at once, as one JSON value: TypeORM would bind 16 values a log. */
const INSERT_LOGS = `
  INSERT INTO habit_logs (user_id, created_at, id, habit_id, source_id, occurred_at, local_date, status, completion_rate,
    duration_minutes, mood_score, energy_score, stress_score, context_tags, note, change_number)
  SELECT $1, $2, * FROM json_to_recordset($3::json) AS log (id uuid, "habitId" uuid, "sourceId" text,
    "occurredAt" timestamptz, "localDate" date, status text, "completionRate" numeric, "durationMinutes" smallint,
    "moodScore" smallint, "energyScore" smallint, "stressScore" smallint, "contextTags" text[], note text,
    "changeNumber" bigint)`;

const DAY_IS_FULL = `a habit has at most ${MAX_LOGS_A_DAY} logs a day`;
const ACCOUNT_IS_FULL = `a person has at most ${MAX_LOGS.toLocaleString('en')} logs`;

/** As a log that is posted is refused. Habits that the import creates have their history, also where they arrive archived. */
function refusalOfLogs(isWritable: boolean | undefined): string | undefined {
  if (isWritable === undefined) return 'the habit is archived here, and takes no logs';
  return isWritable ? undefined : 'the habit is over the cap of the plan, and takes no logs';
}

function archivedNotes(inFile: number, overCap: number, cap: number | null): string[] {
  const asThere = `Habits that arrive archived, as they are in the file: ${inFile}.`;
  const byPlan = `Habits that arrive archived, as the plan has ${cap} active ones: ${overCap}. In exports they stay active.`;
  return [...(inFile > 0 ? [asThere] : []), ...(overCap > 0 ? [byPlan] : [])];
}

/** From the first byte that is read to the last row: each has a process beside this one, and each that waits its file. */
const AT_ONCE = { running: 2, waiting: 4 };

/** Ends the transaction of a dry run. */
class RolledBack extends Error {
  constructor(readonly report: ImportView) {
    super('a dry run leaves nothing');
  }
}

/** Brings habits and logs of a file into an account: all in one transaction, and nothing twice. */
@Injectable()
export class ImportHabits {
  private readonly turns = new Turns(AT_ONCE);

  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {}

  /**
   * Reads the file in a process of its own, then brings it in.
   * @param isDry the same, rolled back at the end
   * @param signal ends both
   * @throws UnreadableFile, RateLimited when the person has another import, or too many wait
   */
  async execute(user: AccountUser, bytes: Buffer, isDry: boolean, signal: AbortSignal): Promise<ImportView> {
    const endTurn = await this.turns.take(user.userId, signal);
    try {
      const file = await FileApart.read(bytes, readOptionsOf(user, this.clock.now()), { signal });
      return await this.bringIn(user, file, isDry, signal).finally(() => file.close());
    } finally {
      endTurn();
    }
  }

  private async bringIn(user: AccountUser, file: FileApart, isDry: boolean, signal: AbortSignal): Promise<ImportView> {
    try {
      const done = await this.dataSource.transaction(async (tx) => {
        const run = new ImportRun(tx, user, this.clock.now(), () => this.crash.pass('imported_half'));
        const report = await run.bringIn(file, isDry, signal);
        signal.throwIfAborted();
        if (isDry) throw new RolledBack(report);
        return report;
      });
      this.crash.pass('after_commit');
      return done;
    } catch (error) {
      if (error instanceof RolledBack) return error.report;
      throw error;
    }
  }
}

/** A log on its way into the table. */
interface NewLog {
  habitId: string;
  occurredAt: Date;
  log: FileLog;
}

/** Of one habit. */
interface MissingLogs {
  pages: AsyncIterable<readonly FileLog[]>;
  onDays: Map<string, number>;
}

class ImportRun {
  private readonly habits = { created: 0, matched: 0, skipped: 0, archived: 0 };
  private readonly logs = { created: 0, duplicate: 0, rejected: 0 };
  private readonly rejects: Reject[] = [];
  /** Noon of a local day costs microseconds, and most habits have the same days. */
  private readonly noons = new Map<string, Date>();
  private changeNumber = 0;
  /** How many more logs the person may have; null for all of the file. */
  private room: number | null = null;
  private readonly query: Query = (statement, values) => this.tx.query(statement, values);

  constructor(
    private readonly tx: EntityManager,
    private readonly user: AccountUser,
    private readonly now: Date,
    private readonly passHalf: () => void,
  ) {}

  async bringIn(apart: FileApart, isDry: boolean, signal: AbortSignal): Promise<ImportView> {
    const { file } = apart;
    this.rejects.push(...file.rejects);
    this.logs.rejected = file.rejected.logs;
    this.habits.skipped = file.rejected.habits;
    // Each change of a habit or a log takes its number from this row, which nobody else can until the end.
    this.changeNumber = Number((await lockSignedIn(this.tx, this.user)).changeNumber);
    const inFile = file.habits.reduce((sum, { logCount }) => sum + logCount, file.habits.length);
    this.room = await roomForLogs(this.tx, this.user.userId, this.changeNumber + inFile);
    const stored = await readNamedHabits(this.query, this.user.userId);
    const matches = matchHabits<OpenedHabit, NamedHabit>(file, stored);
    // Behind the lock: access may have ended while the file was read.
    const { accessUntil } = await countHabits(this.tx, this.user.userId);
    const { maxHabits } = limitsAt(accessUntil, this.now);
    const rows = await this.query<{ id: string; isWritable: boolean }>(WRITABLE_HABITS, [this.user.userId, maxHabits]);
    // Whether each active habit takes logs.
    const writable = new Map(rows.map(({ id, isWritable }) => [id, isWritable]));
    let active = writable.size;
    let overCap = 0;
    for (const [place, habit] of file.habits.entries()) {
      signal.throwIfAborted();
      const found = matches.get(habit);
      if (!found && stored.length + this.habits.created >= HABITS_MOST) {
        this.skip(habit, `an account holds at most ${HABITS_MOST} habits`);
        continue;
      }
      const isOverCap = !habit.archived && maxHabits !== null && active >= maxHabits;
      const habitId = found?.id ?? (await this.create(habit, isOverCap));
      if (found) this.habits.matched++;
      else {
        this.habits.created++;
        if (habit.archived || isOverCap) this.habits.archived++;
        else active++;
        if (isOverCap) overCap++;
      }
      const refusal = found && refusalOfLogs(writable.get(found.id));
      await this.addLogs(habitId, habit, await this.missingLogs(apart, place, found), refusal);
      this.passHalf();
    }
    await this.tx.update(User, { id: this.user.userId }, { changeNumber: String(this.changeNumber) });
    const { habits, logs, rejects } = this;
    return {
      format: file.format,
      dry_run: isDry,
      habits,
      logs,
      rejects: rejects.slice(0, REJECTS_LISTED),
      notes: [...file.notes, ...archivedNotes(habits.archived - overCap, overCap, maxHabits)],
    };
  }

  private skip(habit: OpenedHabit, reason: string): void {
    this.habits.skipped++;
    this.logs.rejected += habit.logCount;
    this.rejects.push({ row: habit.name, reason });
  }

  /** Created a moment after the one before: people see habits in the order of their creation. */
  private async create(habit: OpenedHabit, isOverCap: boolean): Promise<string> {
    const { now, user } = this;
    const id = uuidv7(now);
    const isGiven = habit.start !== null && habit.createdOn === null;
    const told = isGiven ? habit.start : habit.createdOn;
    const startDay = told ?? localDate(now, user.timezone ?? 'UTC', user.dayStartMinutes);
    const archivedAt = habit.archived || isOverCap ? now : null;
    const { sourceId, name, description, category, cadence, targetPerWeek, targetDaysMask } = habit;
    await this.tx.insert(Habit, {
      id,
      userId: user.userId,
      sourceId,
      name,
      description,
      category,
      cadence,
      targetPerWeek,
      targetDaysMask,
      startDate: told === null ? now : this.noonOf(startDay),
      startDay,
      startGiven: isGiven,
      archivedAt,
      order: habit.order,
      color: habit.color,
      archivedOverCapAt: isOverCap ? now : null,
      question: habit.question,
      intervalTimes: habit.interval?.times,
      intervalDays: habit.interval?.days,
      // A date of JavaScript has no microseconds.
      createdAt: () => `'${now.toISOString()}'::timestamptz + ${this.habits.created} * interval '1 microsecond'`,
      updatedAt: now,
      changeNumber: String(++this.changeNumber),
    });
    return id;
  }

  /** The logs of a habit of the file that the account does not have, and how many it has on each day. */
  private async missingLogs(apart: FileApart, place: number, found: NamedHabit | undefined): Promise<MissingLogs> {
    const onDays = new Map<string, number>();
    const known = found && { sourceId: found.inFiles.sourceId, logs: this.knownLogs(found.id, onDays) };
    const { count, pages } = await apart.missingLogs(place, known);
    this.logs.duplicate += apart.file.habits[place]!.logCount - count;
    return { pages, onDays };
  }

  /** @param refusal why the habit takes no logs */
  private async addLogs(
    habitId: string,
    habit: OpenedHabit,
    { pages, onDays }: MissingLogs,
    refusal: string | undefined,
  ): Promise<void> {
    let fresh: NewLog[] = [];
    const insert = async (): Promise<void> => {
      await this.insert(fresh);
      this.logs.created += fresh.length;
      fresh = [];
    };
    for await (const logs of pages) {
      for (const log of logs) {
        const count = (onDays.get(log.localDate) ?? 0) + 1;
        const isFull = this.room !== null && this.logs.created + fresh.length >= this.room;
        const reason = refusal ?? (count > MAX_LOGS_A_DAY ? DAY_IS_FULL : isFull ? ACCOUNT_IS_FULL : undefined);
        if (reason !== undefined) {
          this.rejectLog(habit, log, reason);
          continue;
        }
        onDays.set(log.localDate, count);
        const occurredAt = log.occurredAt === null ? this.noonOf(log.localDate) : new Date(log.occurredAt);
        fresh.push({ habitId, occurredAt, log });
      }
      if (fresh.length >= SLICE) await insert();
    }
    if (fresh.length > 0) await insert();
  }

  private rejectLog(habit: OpenedHabit, log: FileLog, reason: string): void {
    this.logs.rejected++;
    if (this.rejects.length < REJECTS_LISTED) this.rejects.push({ row: `${habit.name}, ${log.localDate}`, reason });
  }

  /** @param onDays gets how many there are on each day */
  private async *knownLogs(habitId: string, onDays: Map<string, number>): AsyncGenerator<KnownLog[]> {
    for await (const page of pagesOf<KnownLog>(this.query, KNOWN_LOGS, [this.user.userId, habitId])) {
      for (const { localDate: day } of page) onDays.set(day, (onDays.get(day) ?? 0) + 1);
      yield page;
    }
  }

  private async insert(rows: readonly NewLog[]): Promise<void> {
    const logs = rows.map(({ habitId, occurredAt, log }) => {
      const row = { id: uuidv7(this.now), habitId, changeNumber: ++this.changeNumber };
      return Object.assign(row, log, { occurredAt, completionRate: log.completionRate.toFixed(4) });
    });
    await this.tx.query(INSERT_LOGS, [this.user.userId, this.now, JSON.stringify(logs)]);
  }

  private noonOf(day: string): Date {
    const known = this.noons.get(day);
    if (known) return known;
    const noon = instantOfLocalNoon(day, this.user.timezone ?? 'UTC');
    this.noons.set(day, noon);
    return noon;
  }
}
