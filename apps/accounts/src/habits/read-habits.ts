import { setImmediate } from 'node:timers/promises';
import { Clock } from '@evenkeel/kernel';
import { civilDate, STATUS_CODES, type HabitHistory, type HabitLog, type LogStatus } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { type EntityManager, DataSource } from 'typeorm';
import type { AccountUser } from '../users/account-user';
import { HabitNotFound, todayOf } from './habit-rules';
import { HABIT_COLUMNS, termsOf, type StoredHabit } from './habit.entity';
import { HabitView } from './habit.view';

export const HABIT_STATUSES = ['active', 'archived', 'all'] as const;
export type HabitStatus = (typeof HABIT_STATUSES)[number];

/** Which habits of a user. */
export interface WantedHabits {
  /** `active` unless given. */
  status?: HabitStatus;
  /** Only these, of the status: those that are missing or somebody else's are left out. */
  ids?: readonly string[];
}

/** A habit with all its logs, as the engine takes them. */
export interface HabitWithHistory {
  habit: StoredHabit;
  history: HabitHistory;
  /** Newest `occurredAt`; null without logs. */
  lastLogAt: Date | null;
}

type HistoryRow = StoredHabit & {
  lastLogAt: Date | null;
  /** `packed` of each log, in no order. */
  logs: number[];
};

// SQL, not entities: the logs of all habits are one walk through those of the person, half as long as one for each habit.
// Made once: joined to the habits as a subquery, it would be walked for each of them where statistics are old, as after an import.
const READ = `
  WITH of_habit AS MATERIALIZED (
    SELECT habit_id, max(occurred_at) AS newest, json_agg(packed) AS logs FROM habit_logs
    WHERE user_id = $1 AND ($2::uuid[] IS NULL OR habit_id = ANY ($2)) GROUP BY habit_id
  )
  SELECT ${HABIT_COLUMNS}, of_habit.newest AS "lastLogAt", coalesce(of_habit.logs, '[]') AS logs
  FROM habits h LEFT JOIN of_habit ON of_habit.habit_id = h.id
  WHERE h.user_id = $1 AND ($2::uuid[] IS NULL OR h.id = ANY ($2))
    AND CASE $3 WHEN 'active' THEN h.archived_at IS NULL WHEN 'archived' THEN h.archived_at IS NOT NULL ELSE true END
  ORDER BY h.created_at, h.id`;

/** A data source, or a transaction that must see its own changes. */
export type Runner = Pick<EntityManager, 'query'>;

/** The habits of a user with their whole histories, oldest first, by one statement: one state of the database. */
export async function readHistories(
  runner: Runner,
  userId: string,
  { status = 'active', ids }: WantedHabits = {},
): Promise<HabitWithHistory[]> {
  const rows = await runner.query<HistoryRow[]>(READ, [userId, ids ?? null, status]);
  const dates = new Map<number, string>();
  return inShortTurns(rows, ({ lastLogAt, logs, ...habit }) => {
    const inOrder = logs.sort((one, other) => one - other).map((packed) => unpacked(packed, dates));
    // Own members first: an object that begins as a copy gets a hidden class of its own in the old space.
    return { habit, history: { logs: inOrder, ...termsOf(habit) }, lastLogAt };
  });
}

const WITHOUT_PAUSE_MS = 20;

/** Hundreds of habits of decades take a while: others are answered in between. */
export async function inShortTurns<Item, Made>(items: readonly Item[], make: (item: Item) => Made): Promise<Made[]> {
  const made: Made[] = [];
  let begunMs = performance.now();
  for (const item of items) {
    made.push(make(item));
    if (performance.now() - begunMs < WITHOUT_PAUSE_MS) continue;
    await setImmediate();
    begunMs = performance.now();
  }
  return made;
}

/** The day of a log is in the highest bits of the column `packed`. */
const BELOW_DAYS = 2 ** 28;
const STATUSES = Object.keys(STATUS_CODES) as LogStatus[];

/**
 * A log from its column `packed`: 25 habits with five years are read in 28 ms so, in 50 as arrays of their members, in 160 as JSON.
 * @param dates that were written before, by their day: habits have the same ones
 */
function unpacked(packed: number, dates: Map<number, string>): HabitLog {
  const day = Math.floor(packed / BELOW_DAYS);
  const rest = packed % BELOW_DAYS;
  let localDate = dates.get(day);
  if (localDate === undefined) dates.set(day, (localDate = civilDate(day)));
  return {
    localDate,
    status: STATUSES[(rest >> 26) - 1]!,
    completionRate: ((rest >> 12) & 0x3fff) / 10_000,
    moodScore: (rest >> 8) & 0xf || null,
    energyScore: (rest >> 4) & 0xf || null,
    stressScore: rest & 0xf || null,
  };
}

/** Habits as answers show them: with the numbers of their whole history. */
@Injectable()
export class ReadHabits {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /**
   * Oldest first.
   * @param runner a transaction that must see its own changes
   */
  async all(user: AccountUser, wanted: WantedHabits, runner?: EntityManager): Promise<HabitView[]> {
    const on = runner ?? this.dataSource;
    const asOf = await todayOf(on, user, this.clock.now());
    const habits = await readHistories(on, user.userId, wanted);
    return inShortTurns(habits, (habit) => HabitView.of(habit, { asOf, weekStart: user.weekStart }));
  }

  /** @throws HabitNotFound */
  async one(user: AccountUser, id: string, runner?: EntityManager): Promise<HabitView> {
    const [habit] = await this.all(user, { status: 'all', ids: [id] }, runner);
    if (!habit) throw new HabitNotFound();
    return habit;
  }
}
