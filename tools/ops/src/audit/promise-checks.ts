/** The query that shows what breaks one promise, as far as one database can say. */
export interface PromiseCheck {
  /** Name of the promise, as in docs/promises.md: `P1` to `P10`. */
  promise: string;
  /** Views of schema `audit` that it reads, with the columns by which a service's own view is known. */
  reads: Readonly<Record<string, readonly string[]>>;
  /** Selects `what` and `row`, one of each for what should not be. */
  sql: string;
}

/**
 * Checks of one promise in the database of one service.
 * @param faults what should not be, each with the query for the rows that are so
 */
export function checksOf(
  promise: string,
  reads: PromiseCheck['reads'],
  faults: Readonly<Record<string, string>>,
): PromiseCheck[] {
  return Object.entries(faults).map(([what, query]) => {
    return { promise, reads, sql: `SELECT '${what}' AS what, to_jsonb(fault) AS row FROM (${query}) AS fault` };
  });
}

const OUTBOX = { outbox: ['seq', 'aggregate', 'aggregate_seq', 'published_at'] };
const INBOX = { inbox: ['message_id', 'consumer'] };
const PARKED = { ...INBOX, parked: ['message_id', 'consumer', 'aggregate', 'aggregate_seq'] };
const POSITIONS = { ...INBOX, positions: ['consumer', 'last_seq'] };

/** The checks of every service that writes or reads events: over its outbox, and over its inbox. */
export const EVENT_CHECKS: readonly PromiseCheck[] = [
  ...checksOf('P8', OUTBOX, {
    'the events of an aggregate are not numbered 1, 2, 3 …': `
      SELECT aggregate, min(aggregate_seq) AS first, max(aggregate_seq) AS last, count(*) AS events
      FROM audit.outbox GROUP BY aggregate
      HAVING count(DISTINCT aggregate_seq) <> count(*) OR min(aggregate_seq) <> 1 OR max(aggregate_seq) <> count(*)`,
    'an event was published before an earlier one of its aggregate': `
      SELECT * FROM (
        SELECT *, max(coalesce(published_at, 'infinity')) OVER (
          PARTITION BY aggregate ORDER BY aggregate_seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS earlier_published_at
        FROM audit.outbox
      ) event
      WHERE published_at < earlier_published_at`,
  }),
  ...checksOf('P8', PARKED, {
    'a consumer has applied an event more than once': `
      SELECT consumer, message_id, count(*) AS times
      FROM audit.inbox GROUP BY consumer, message_id HAVING count(*) > 1`,
    'an event is parked and applied': `
      SELECT p.*
      FROM audit.parked p JOIN audit.inbox i ON i.consumer = p.consumer AND i.message_id::text = p.message_id::text`,
    'an event is missing among the parked ones of its aggregate': `
      SELECT * FROM audit.parked p
      WHERE aggregate_seq > (
        SELECT min(aggregate_seq) + count(*) - 1 FROM audit.parked o
        WHERE o.consumer = p.consumer AND o.aggregate = p.aggregate
      )`,
  }),
  ...checksOf('P8', POSITIONS, {
    'a consumer has passed over events: its numbers are not as many as its marks': `
      SELECT consumer, numbers, marks
      FROM (SELECT consumer, sum(last_seq) AS numbers FROM audit.positions GROUP BY consumer) reached
      FULL JOIN (SELECT consumer, count(*) AS marks FROM audit.inbox GROUP BY consumer) seen USING (consumer)
      WHERE coalesce(numbers, 0) <> coalesce(marks, 0)`,
  }),
];
