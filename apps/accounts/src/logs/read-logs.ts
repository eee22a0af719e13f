import { cursorOf, instantOf, type ListPlace } from '@evenkeel/platform/validation';
import type { DataSource } from 'typeorm';
import { HabitNotFound } from '../habits/habit-rules';
import { LogView, LOG_COLUMNS, type StoredLog } from './stored-log';

/** Name of the list in its cursors: those of another habit are refused. */
export const logsOf = (habitId: string) => `logs of ${habitId.toLowerCase()}`;

/**
 * One row of nulls for a habit without logs in the page; none at all without the habit. One row more than the page. SQL, so that
 * both are one look.
 */
const READ = `
  SELECT ${LOG_COLUMNS} FROM habits h LEFT JOIN LATERAL (
    SELECT * FROM habit_logs
    WHERE user_id = $1 AND habit_id = $2 AND ($3::date IS NULL OR local_date >= $3) AND ($4::date IS NULL OR local_date <= $4)
      AND ($5::timestamptz IS NULL OR (occurred_at, id) < ($5, $6::uuid))
    ORDER BY occurred_at DESC, id DESC LIMIT $7
  ) AS l ON true
  WHERE h.user_id = $1 AND h.id = $2 ORDER BY l.occurred_at DESC, l.id DESC`;

/**
 * The logs of a habit, newest first: any page costs as much as its rows.
 * @param page from, to: first and last local date, YYYY-MM-DD
 * @throws HabitNotFound
 */
export async function readLogs(
  dataSource: DataSource,
  { userId, habitId }: { userId: string; habitId: string },
  { from, to, limit, after }: { from?: string; to?: string; limit: number; after?: ListPlace },
): Promise<{ logs: LogView[]; next_cursor: string | null }> {
  const place = after && [instantOf(after), after.id];
  const values = [userId, habitId, from ?? null, to ?? null, ...(place ?? [null, null]), limit + 1];
  const rows = await dataSource.query<StoredLog[]>(READ, values);
  if (rows.length === 0) throw new HabitNotFound();
  const found = rows.filter(({ id }) => id !== null);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const next = found.length > limit && last && { atMicros: `${last.occurredAt.getTime()}000`, id: last.id };
  return { logs: shown.map((log) => LogView.of(log)), next_cursor: next ? cursorOf(logsOf(habitId), next) : null };
}
