import { TIER_LIMITS, type Tier } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { civilDate, dayNumber, type HabitHistory, type HabitLog, type HistoriesRequest } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { tierAt } from '../entitlements/plan-refusals';
import { HabitNotFound, todayOf } from '../habits/habit-rules';
import { readHistories } from '../habits/read-habits';
import type { AccountUser } from '../users/account-user';
import { habitIdsOf, readDay, type AnalysisBody, MAX_HABITS_ASKED } from './analysis.dto';

/** The habits that a request is about. */
interface Scope {
  /** In the order of the answer. */
  habitIds: string[];
  /** Whether active habits were left out. */
  truncated: boolean;
}

/** SQL, for one look into the index for each habit. */
const ACTIVE = `
  SELECT h.id FROM habits h CROSS JOIN LATERAL (
    SELECT max(occurred_at) AS at FROM habit_logs WHERE user_id = $1 AND habit_id = h.id
  ) AS last
  WHERE h.user_id = $1 AND h.archived_at IS NULL
  ORDER BY last.at DESC NULLS LAST, h.created_at, h.id LIMIT $2`;

/**
 * Which habits a request is about: those that it names, else the active ones, most recently logged first.
 * @param named archived ones too
 * @throws HabitNotFound when one of them is missing, or somebody else's
 */
async function findScope(on: DataSource, userId: string, named: readonly string[] | undefined): Promise<Scope> {
  if (named) {
    const sql = 'SELECT id FROM habits WHERE user_id = $1 AND id = ANY ($2)';
    const found = await on.query<object[]>(sql, [userId, named]);
    return found.length < named.length ? missing() : { habitIds: [...named], truncated: false };
  }
  const rows = await on.query<{ id: string }[]>(ACTIVE, [userId, MAX_HABITS_ASKED + 1]);
  const habitIds = rows.slice(0, MAX_HABITS_ASKED).map(({ id }) => id);
  return { habitIds, truncated: rows.length > habitIds.length };
}

const DEFAULT_WINDOW_DAYS = 90;

/** The question of a person at one moment, with defaults for what they left out. */
export interface Question extends Scope {
  user: AccountUser;
  tier: Tier;
  askedAt: Date;
  /** Evaluation day, local date. */
  asOf: string;
  windowDays: number;
  horizonDays: number | undefined;
}

/** Completes what a person asks, and reads what the engine needs for it. Takes no lock. */
@Injectable()
export class ReadQuestion {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {}

  /** @throws ValidationFailed, HabitNotFound */
  async complete(user: AccountUser, body: AnalysisBody): Promise<Question> {
    const askedAt = this.clock.now();
    const named = habitIdsOf(body);
    const today = await todayOf(this.dataSource, user, askedAt);
    const scope = await findScope(this.dataSource, user.userId, named);
    // Where no zone is known, the person's day may be that after the one of UTC.
    const day = body.asOf === undefined ? undefined : readDay('asOf', body.asOf, dayNumber(today) + 1);
    // Own members first: an object that begins as a copy gets a hidden class of its own in the old space.
    return {
      user,
      tier: tierAt(user.accessUntil, askedAt),
      askedAt,
      asOf: day === undefined ? today : civilDate(day),
      windowDays: body.windowDays ?? DEFAULT_WINDOW_DAYS,
      horizonDays: body.horizonDays,
      ...scope,
    };
  }

  /**
   * The question to the engine, its habits in the same order. On Free correlations are withheld: nothing of them is computed, so
   * nothing of them can show.
   * @param withScores false for answers to which correlations add nothing
   * @throws HabitNotFound when a habit went away meanwhile
   */
  async read(question: Question, withScores = true): Promise<HistoriesRequest> {
    const { user, tier, habitIds, asOf, windowDays, horizonDays } = question;
    const isShown = TIER_LIMITS[tier].moodCorrelation && withScores;
    const found = await readHistories(this.dataSource, user.userId, { status: 'all', ids: habitIds });
    const otherHabits = isShown ? await this.otherScores(question) : undefined;
    const byId = new Map(found.map(({ habit, history }) => [habit.id, history]));
    const habits = habitIds.map((id) => byId.get(id) ?? missing());
    const correlations = isShown ? 'shown' : 'withheld';
    return { habits, otherHabits, asOf, windowDays, horizonDays, weekStart: user.weekStart, correlations };
  }

  /** Mood, energy and stress of the person's other habits: a day's score is that of the person, not of a habit. */
  private async otherScores({ user, habitIds, asOf, windowDays }: Question): Promise<HabitHistory[]> {
    const from = civilDate(dayNumber(asOf) - windowDays + 1);
    const rows = await this.dataSource.query<OtherLog[]>(OTHER_SCORES, [user.userId, habitIds, from, asOf]);
    const histories = new Map<string, HabitHistory & { logs: OtherLog[] }>();
    for (const row of rows) {
      const { habitId, targetPerWeek, targetDaysMask } = row;
      const history = histories.get(habitId);
      if (history) history.logs.push(row);
      else histories.set(habitId, { name: habitId, targetPerWeek, targetDaysMask, logs: [row] });
    }
    return [...histories.values()];
  }
}

type OtherLog = HabitLog & { habitId: string; targetPerWeek: number; targetDaysMask: number };

const OTHER_SCORES = `
  SELECT h.id AS "habitId", h.target_per_week AS "targetPerWeek", h.target_days_mask AS "targetDaysMask",
    l.local_date::text AS "localDate", l.status, l.completion_rate::float8 AS "completionRate",
    l.mood_score AS "moodScore", l.energy_score AS "energyScore", l.stress_score AS "stressScore"
  FROM habits h JOIN habit_logs l ON l.user_id = h.user_id AND l.habit_id = h.id
  WHERE h.user_id = $1 AND NOT h.id = ANY ($2) AND l.local_date BETWEEN $3 AND $4
    AND (l.mood_score IS NOT NULL OR l.energy_score IS NOT NULL OR l.stress_score IS NOT NULL)`;

function missing(): never {
  throw new HabitNotFound();
}
