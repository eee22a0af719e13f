import { TIER_LIMITS } from '@evenkeel/contracts';
import { Unauthorized } from '@evenkeel/platform/http';
import { cursorOf, instantOf, readCursor } from '@evenkeel/platform/validation';
import { insightsFromLogs } from '@evenkeel/scoring';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountUser } from '../users/account-user';
import { habitIdsOf, type InsightsBody } from './analysis.dto';
import { InsightsView, type InsightRow } from './insights.view';
import { ReadQuestion, type Question } from './read-question';
import { storeInsights } from './store-insights';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 200;
/** Name of the list in its cursors. */
const INSIGHTS = 'insights';
const STALE_AFTER_MS = 24 * 60 * 60 * 1_000;

// Rows that a reader on Free may not read show them nothing: not even when the next ones are written.
const READABLE = '($3 OR free_readable)';
const STALE = `
  SELECT asked.id FROM unnest($2::uuid[]) WITH ORDINALITY AS asked (id, place) WHERE NOT EXISTS (
    SELECT FROM insights WHERE user_id = $1 AND created_at >= $4 AND habit_id = asked.id AND ${READABLE}
  ) ORDER BY asked.place`;
const LIST = `
  SELECT i.id, i.habit_id, h.name AS habit, i.kind, i.code, i.severity, i.title, i.body, i.evidence,
    i.period_from::text AS "from", i.period_to::text AS "to", i.free_readable, i.created_at,
    (extract(epoch FROM i.created_at) * 1000000)::bigint::text AS "atMicros"
  FROM insights i JOIN habits h ON h.id = i.habit_id
  WHERE i.user_id = $1 AND ($2::uuid[] IS NULL OR i.habit_id = ANY ($2)) AND ${READABLE}
    AND ($4::timestamptz IS NULL OR (i.created_at, i.id) < ($4, $5::uuid))
  ORDER BY i.created_at DESC, i.id DESC LIMIT $6`;
const LOCK = 'SELECT id FROM users WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE';

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
    const question = await this.questions.complete(this.dataSource, user, body);
    const { fullInsightHistory, insightHistory } = TIER_LIMITS[question.tier];
    const requested = body.limit ?? DEFAULT_LIMIT;
    const limit = Math.min(insightHistory ?? MAX_LIMIT, Math.max(1, requested));
    const place = fullInsightHistory ? after : undefined;
    const list = (runner: Pick<EntityManager, 'query'>) =>
      runner.query<InsightRow[]>(LIST, [
        ...[user.userId, habitIdsOf(body) ?? null, fullInsightHistory],
        ...[place ? instantOf(place) : null, place?.id ?? null, limit + 1],
      ]);
    const rows = await this.lookAgain(question, fullInsightHistory, list);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const hasMore = fullInsightHistory && rows.length > limit;
    const nextCursor = hasMore && last ? cursorOf(INSIGHTS, last) : null;
    return InsightsView.of(shown, { limit, requested, nextCursor, isWhole: fullInsightHistory });
  }

  /** @param list what is read afterwards, in the same transaction where there is one */
  private async lookAgain(
    question: Question,
    readsAll: boolean,
    list: (runner: Pick<EntityManager, 'query'>) => Promise<InsightRow[]>,
  ): Promise<InsightRow[]> {
    const { user, askedAt, habitIds } = question;
    const since = new Date(askedAt.getTime() - STALE_AFTER_MS);
    const values = [user.userId, habitIds, readsAll, since];
    const stale = await this.dataSource.query<{ id: string }[]>(STALE, values);
    if (stale.length === 0) return list(this.dataSource);
    const asked = { ...question, habitIds: stale.map(({ id }) => id) };
    const read = await this.questions.read(this.dataSource, asked);
    const insights = insightsFromLogs(read.request);
    return this.dataSource.transaction(async (tx) => {
      const people = await tx.query<object[]>(LOCK, [user.userId]);
      if (people.length === 0) throw new Unauthorized();
      await storeInsights(tx, question, read.habitIds, insights);
      return list(tx);
    });
  }
}
