/** Of a window, both ends included: `from` and `to` are at most 1,100 days apart. */
export const MOST_WINDOW_DAYS = 1_101;

// Of two arrays one may be shorter: its last element is all further ones.
const added = (column: string): string => `ARRAY(
        SELECT coalesce(kept, t.${column}[cardinality(t.${column})])
          + coalesce(more, excluded.${column}[cardinality(excluded.${column})])
        FROM unnest(t.${column}, excluded.${column}) AS pair (kept, more))`;

/**
 * Part of the statement that applies payments. It reads `links`: wallets by a day and the one on which they had paid last before
 * it, added or taken away. Elements between two gaps are equal, and make a step. The last step of a day has one element: wallets
 * that never had paid before, or longer ago than the longest window.
 */
export const PAYERS_BY_GAP = `
  gaps AS (
    SELECT endpoint, day, gap, coalesce(sum(found.wallets) FILTER (WHERE by_call), 0) AS wallets,
      coalesce(sum(found.wallets) FILTER (WHERE NOT by_call), 0) AS settled_wallets
    FROM links, LATERAL (VALUES (least(day - previous, ${MOST_WINDOW_DAYS}), wallets), (${MOST_WINDOW_DAYS}, 0)) AS found (gap, wallets)
    GROUP BY endpoint, day, gap
  ),
  steps AS (
    SELECT endpoint, day, gap, lag(gap, 1, 0) OVER (of_day ORDER BY gap) + 1 AS first,
      sum(wallets) OVER longest AS wallets, sum(settled_wallets) OVER longest AS settled_wallets
    FROM gaps WINDOW of_day AS (PARTITION BY endpoint, day), longest AS (of_day ORDER BY gap DESC)
  ),
  by_gap AS (
    INSERT INTO payers_by_gap AS t (endpoint, day, wallets, settled_wallets)
    SELECT endpoint, day, array_agg(wallets::integer ORDER BY k), array_agg(settled_wallets::integer ORDER BY k)
    FROM steps, generate_series(first, CASE gap WHEN ${MOST_WINDOW_DAYS} THEN first ELSE gap END) AS k
    GROUP BY endpoint, day
    ON CONFLICT (endpoint, day) DO UPDATE SET
      wallets = ${added('wallets')},
      settled_wallets = ${added('settled_wallets')}
  )`;
