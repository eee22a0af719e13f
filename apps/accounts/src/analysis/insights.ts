import { TIER_LIMITS } from '@evenkeel/contracts';
import { uuidv7 } from '@evenkeel/kernel';
import { Unauthorized } from '@evenkeel/platform/http';
import { cursorOf, instantOf, readCursor } from '@evenkeel/platform/validation';
import { civilDate, dayNumber, type LogInsight, insightsFromLogs } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type EntityManager, DataSource } from 'typeorm';
import { RedactedView } from '../entitlements/plan-refusals';
import type { AccountUser } from '../users/account-user';
import { lockUser } from '../users/lock-user';
import { habitIdsOf, type InsightsBody } from './analysis.dto';
import { type Question, ReadQuestion } from './read-question';
import { transactionInTurn } from '../users/turn-of-user';

export class InsightPeriodView {
  @ApiProperty({ format: 'date' }) from!: string;
  @ApiProperty({ format: 'date' }) to!: string;
}

export class InsightView {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) habit_id!: string;
  @ApiProperty({ description: 'its name' }) habit!: string;
  @ApiProperty({ enum: ['streak', 'adherence', 'risk', 'schedule', 'correlation'] }) kind!: string;
  @ApiProperty({ description: 'open list' }) code!: string;
  @ApiProperty({ enum: ['info', 'warning'] }) severity!: string;
  @ApiProperty({ description: 'the code in words' }) title!: string;
  @ApiProperty() body!: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'the numbers behind it; members depend on the code',
  })
  evidence!: Readonly<Record<string, number | string>>;
  @ApiProperty() period!: InsightPeriodView;
  @ApiProperty({ description: 'whether Free shows it' }) free_readable!: boolean;
  @ApiProperty({ format: 'date-time' }) created_at!: string;
}

/** A row of `insights` with the name of its habit, its members as `InsightView` has them. */
type InsightRow = Omit<InsightView, 'created_at'> & {
  created_at: Date;
  /** Microseconds since 1970 of `created_at`. */
  atMicros: string;
};

export class InsightsView {
  @ApiProperty({ type: [InsightView], description: 'newest first' }) insights!: InsightView[];
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200 }) limit!: number;
  @ApiProperty({ type: 'integer', description: 'as asked, or its default' }) requested_limit!: number;
  @ApiProperty({ description: 'whether the plan or the range gives another limit than was asked for' })
  clamped!: boolean;
  @ApiProperty({
    nullable: true,
    type: String,
    description: '`cursor` of the next page; null on the last, and on Free',
  })
  next_cursor!: string | null;
  @ApiPropertyOptional({ description: 'Free only' }) redacted?: RedactedView;
}

// SQL: many rows at once, by a join. A habit may have been deleted since it was read: the lock on the row of the user keeps the
// others.
const STORE = `
  INSERT INTO insights AS i (id, user_id, habit_id, kind, code, severity, title, body, evidence, period_from, period_to,
    free_readable, local_date, created_at)
  SELECT f.id, $1, f.habit_id, f.kind, f.code, f.severity, f.title, f.body, f.evidence, $3, $4, f.free_readable, $4, $5
  FROM json_to_recordset($2::json) AS f (id uuid, habit_id uuid, kind text, code text, severity text, title text,
    body text, evidence json, free_readable boolean)
  JOIN habits h ON h.id = f.habit_id AND h.user_id = $1
  ON CONFLICT (habit_id, code, local_date) DO UPDATE SET
    body = excluded.body, evidence = excluded.evidence, period_from = excluded.period_from
  WHERE (i.body, i.evidence::text, i.period_from) IS DISTINCT FROM
    (excluded.body, excluded.evidence::text, excluded.period_from)`;

/**
 * Keeps what an analysis has found: one row of a habit, code and local date, with the newest text of that day. Newest first,
 * rows of one moment read in the order of the engine.
 * @param tx holds the lock on the row of the user
 * @param question that the engine was asked, its habits in the same order
 */
export async function storeInsights(
  tx: EntityManager,
  { user, habitIds, asOf, windowDays, askedAt }: Question,
  insights: readonly LogInsight[],
): Promise<void> {
  if (insights.length === 0) return;
  const ids = insights
    .map(() => uuidv7(askedAt))
    .sort()
    .reverse();
  // Own members first: an object that begins as a copy gets a hidden class of its own in the old space.
  const rows = insights.map((insight, at) => ({ id: ids[at], habit_id: habitIds[insight.index], ...insight }));
  const from = civilDate(dayNumber(asOf) - windowDays + 1);
  await tx.query(STORE, [user.userId, JSON.stringify(rows), from, asOf, askedAt]);
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;
/** Name of the list in its cursors. */
const INSIGHTS = 'insights';
const STALE_AFTER_MS = 24 * 60 * 60 * 1_000;

// Rows that a reader on Free may not read have no effect on their answers, not even on the time of the next ones.
const READABLE = '($3 OR free_readable)';
const STALE = `
  SELECT asked.id FROM unnest($2::uuid[]) WITH ORDINALITY AS asked (id, place) WHERE NOT EXISTS (
    SELECT FROM insights WHERE user_id = $1 AND created_at >= $4 AND habit_id = asked.id AND ${READABLE}
  ) ORDER BY asked.place`;
const LIST = `
  SELECT i.id, i.habit_id, h.name AS habit, i.kind, i.code, i.severity, i.title, i.body, i.evidence,
    json_build_object('from', i.period_from, 'to', i.period_to) AS period, i.free_readable, i.created_at,
    (extract(epoch FROM i.created_at) * 1000000)::bigint::text AS "atMicros"
  FROM insights i JOIN habits h ON h.id = i.habit_id
  WHERE i.user_id = $1 AND ($2::uuid[] IS NULL OR i.habit_id = ANY ($2)) AND ${READABLE}
    AND ($4::timestamptz IS NULL OR (i.created_at, i.id) < ($4, $5::uuid))
  ORDER BY i.created_at DESC, i.id DESC LIMIT $6`;

/** Lists what analyses have found, newest first, after it has looked again at habits without news for a day. */
@Injectable()
export class ListInsights {
  constructor(
    private readonly dataSource: DataSource,
    private readonly questions: ReadQuestion,
  ) {}

  /** Free: the latest few that it may read, and no further page. @throws ValidationFailed, HabitNotFound */
  async execute(user: AccountUser, body: InsightsBody): Promise<InsightsView> {
    const after = readCursor(INSIGHTS, body.cursor);
    const question = await this.questions.complete(user, body);
    const { fullInsightHistory, insightHistory } = TIER_LIMITS[question.tier];
    const requested = body.limit ?? DEFAULT_LIMIT;
    const limit = Math.min(insightHistory ?? MAX_LIMIT, Math.max(1, requested));
    const place = fullInsightHistory ? after : undefined;
    await this.lookAgain(question, fullInsightHistory);
    const named = habitIdsOf(body) ?? null;
    const values = [user.userId, named, fullInsightHistory, place && instantOf(place), place?.id, limit + 1];
    const rows = await this.dataSource.query<InsightRow[]>(LIST, values);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const hasMore = fullInsightHistory && rows.length > limit;
    return {
      insights: shown.map(({ atMicros: _, created_at, ...row }) => ({ ...row, created_at: created_at.toISOString() })),
      limit,
      requested_limit: requested,
      clamped: limit !== requested,
      next_cursor: hasMore && last ? cursorOf(INSIGHTS, last) : null,
      ...(!fullInsightHistory && { redacted: RedactedView.of('full_insight_history') }),
    };
  }

  private async lookAgain(question: Question, readsAll: boolean): Promise<void> {
    const { user, askedAt, habitIds } = question;
    const since = new Date(askedAt.getTime() - STALE_AFTER_MS);
    const values = [user.userId, habitIds, readsAll, since];
    const stale = await this.dataSource.query<{ id: string }[]>(STALE, values);
    if (stale.length === 0) return;
    const asked = { ...question, habitIds: stale.map(({ id }) => id) };
    const insights = insightsFromLogs(await this.questions.read(asked));
    await transactionInTurn(this.dataSource, user.userId, async (tx) => {
      if (!(await lockUser(tx, user.userId))) throw new Unauthorized();
      await storeInsights(tx, asked, insights);
    });
  }
}
