import { uuidv7 } from '@evenkeel/kernel';
import { civilDate, dayNumber, type LogInsight } from '@evenkeel/scoring';
import type { EntityManager } from 'typeorm';
import type { Question } from './read-question';

// A habit may have been deleted since it was read: the lock on the row of the user keeps the others.
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
 * @param habitIds in the order of the habits that the engine was asked about
 */
export async function storeInsights(
  tx: EntityManager,
  { user, asOf, windowDays, askedAt }: Question,
  habitIds: readonly string[],
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
