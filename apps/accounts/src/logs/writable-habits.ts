/**
 * The active habits of user `$1`, `isWritable` for those that take logs, and how many they are. Above the cap `$2` of the plan
 * (null: none) the habits that keep taking logs are those whose newest log arrived last, then the older ones; only then
 * is it looked for.
 */
export const WRITABLE_HABITS = `
  SELECT a.id, a.active, $2::int IS NULL OR a.active <= $2 OR row_number() OVER (
    ORDER BY CASE WHEN a.active > $2 THEN (
      SELECT max(created_at) FROM habit_logs WHERE user_id = $1 AND habit_id = a.id
    ) END DESC NULLS LAST, a.created_at, a.id
  ) <= $2 AS "isWritable"
  FROM (
    SELECT id, created_at, count(*) OVER ()::int AS active FROM habits WHERE user_id = $1 AND archived_at IS NULL
  ) AS a`;
