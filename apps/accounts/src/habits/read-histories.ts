import { setImmediate } from 'node:timers/promises';
import type { PackedHistory, PackedLogs } from '@evenkeel/scoring';
import type { EntityManager } from 'typeorm';
import { HABIT_COLUMNS, termsOf, type StoredHabit } from './habit.entity';

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
  history: PackedHistory;
  /** Newest `occurredAt`; null without logs. */
  lastLogAt: Date | null;
}

type HistoryRow = StoredHabit & {
  lastLogAt: Date | null;
  /** `packed` of each log, in the order of their days. */
  logs: readonly number[];
};

const READ = `
  SELECT ${HABIT_COLUMNS}, of_habit.newest AS "lastLogAt", of_habit.logs
  FROM habits h
  CROSS JOIN LATERAL (
    SELECT max(occurred_at) AS newest, coalesce(array_to_json(array_agg(packed ORDER BY packed)), '[]') AS logs
    FROM habit_logs WHERE user_id = $1 AND habit_id = h.id
  ) AS of_habit
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
  return inShortTurns(rows, ({ lastLogAt, logs, ...habit }) => {
    // Own members first (docs/adr/0037).
    return { habit, history: { packed: unpacked(logs), ...termsOf(habit) }, lastLogAt };
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

/** The days of a log stand above all else that the column `packed` has of it. */
const BELOW_DAYS = 2 ** 28;

function unpacked(logs: readonly number[]): PackedLogs {
  const { length } = logs;
  const days = new Int32Array(length);
  const statuses = new Uint8Array(length);
  const completionRates = new Int16Array(length);
  const [moodScores, energyScores, stressScores] = [
    new Int8Array(length),
    new Int8Array(length),
    new Int8Array(length),
  ];
  for (const [log, packed] of logs.entries()) {
    days[log] = Math.floor(packed / BELOW_DAYS);
    const rest = packed % BELOW_DAYS;
    statuses[log] = rest >> 26;
    completionRates[log] = (rest >> 12) & 0x3fff;
    moodScores[log] = (rest >> 8) & 0xf;
    energyScores[log] = (rest >> 4) & 0xf;
    stressScores[log] = rest & 0xf;
  }
  return { days, statuses, completionRates, moodScores, energyScores, stressScores };
}
