import type { DataSource } from 'typeorm';

/** The query that shows what breaks one promise, as far as one database can say. */
export interface PromiseCheck {
  /** Name of the promise, as in docs/promises.md: `P1` to `P10`. */
  promise: string;
  /** Views of schema `audit` that it reads, with the columns by which a service's own view is known. */
  reads: Readonly<Record<string, readonly string[]>>;
  /** Selects `what` and `row`, one of each for what should not be. */
  sql: string;
}

/** Something that a promise says cannot be. */
export interface Offence {
  /** `P1` to `P10`. */
  promise: string;
  /** The fault, as a sentence. */
  what: string;
  /** The row, or the part of it that shows the offence. */
  row: Record<string, unknown>;
}

/**
 * Asks the read-only views of schema `audit` for rows that break a promise, by those checks whose views this database has.
 * For the end of a test, when nothing is at work any more; not for a database whose outbox was trimmed.
 * @returns nothing when all is well
 * @throws Error when the database has no audit views at all
 */
export async function offencesIn(
  dataSource: Pick<DataSource, 'query'>,
  checks: readonly PromiseCheck[],
): Promise<Offence[]> {
  const views = await auditViews(dataSource);
  if (views.size === 0) throw new Error('This database has no views in schema audit.');
  const offences: Offence[] = [];
  for (const { promise, reads, sql } of checks) {
    const isThere = Object.entries(reads).every(([view, columns]) => columns.every((one) => views.get(view)?.has(one)));
    const found = isThere ? await dataSource.query<Omit<Offence, 'promise'>[]>(sql) : [];
    offences.push(...found.map((offence) => ({ promise, ...offence })));
  }
  return offences;
}

/** Columns of each view. */
async function auditViews(dataSource: Pick<DataSource, 'query'>): Promise<Map<string, Set<string>>> {
  const rows = await dataSource.query<{ view: string; columns: string[] }[]>(
    `SELECT table_name AS view, array_agg(column_name::text) AS columns
     FROM information_schema.columns WHERE table_schema = 'audit' GROUP BY table_name`,
  );
  return new Map(rows.map(({ view, columns }) => [view, new Set(columns)]));
}

/** The checks of every service that writes or reads events, promise P8: over its outbox, and over its inbox. */
export const EVENT_CHECKS: readonly PromiseCheck[] = [
  {
    promise: 'P8',
    reads: { outbox: ['seq', 'aggregate', 'aggregate_seq', 'published_at'] },
    sql: `
      SELECT 'the events of an aggregate are not numbered 1, 2, 3 …' AS what,
        jsonb_build_object('aggregate', aggregate, 'first', min(aggregate_seq), 'last', max(aggregate_seq),
          'events', count(*)) AS row
      FROM audit.outbox GROUP BY aggregate
      HAVING count(DISTINCT aggregate_seq) <> count(*) OR min(aggregate_seq) <> 1 OR max(aggregate_seq) <> count(*)
      UNION ALL
      SELECT 'an event was published before an earlier one of its aggregate', to_jsonb(event)
      FROM (
        SELECT *, max(coalesce(published_at, 'infinity')) OVER (
          PARTITION BY aggregate ORDER BY aggregate_seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS earlier_published_at
        FROM audit.outbox
      ) event
      WHERE published_at < earlier_published_at`,
  },
  {
    promise: 'P8',
    reads: { inbox: ['message_id', 'consumer'], parked: ['message_id', 'consumer', 'aggregate', 'aggregate_seq'] },
    sql: `
      SELECT 'a consumer has applied an event more than once' AS what,
        jsonb_build_object('consumer', consumer, 'message_id', message_id, 'times', count(*)) AS row
      FROM audit.inbox GROUP BY consumer, message_id HAVING count(*) > 1
      UNION ALL
      SELECT 'an event is parked and applied', to_jsonb(p)
      FROM audit.parked p JOIN audit.inbox i ON i.consumer = p.consumer AND i.message_id::text = p.message_id::text
      UNION ALL
      SELECT 'an event is missing among the parked ones of its aggregate', to_jsonb(p)
      FROM audit.parked p
      WHERE aggregate_seq > (
        SELECT min(aggregate_seq) + count(*) - 1 FROM audit.parked o
        WHERE o.consumer = p.consumer AND o.aggregate = p.aggregate
      )`,
  },
  {
    promise: 'P8',
    reads: { inbox: ['message_id', 'consumer'], positions: ['consumer', 'last_seq'] },
    sql: `
      SELECT 'a consumer has passed over events: its numbers are not as many as its marks' AS what,
        jsonb_build_object('consumer', consumer, 'numbers', numbers, 'marks', marks) AS row
      FROM (SELECT consumer, sum(last_seq) AS numbers FROM audit.positions GROUP BY consumer) reached
      FULL JOIN (SELECT consumer, count(*) AS marks FROM audit.inbox GROUP BY consumer) seen USING (consumer)
      WHERE coalesce(numbers, 0) <> coalesce(marks, 0)`,
  },
];
