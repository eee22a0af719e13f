import type { PromiseCheck } from './audit';

/** Promise P8, of which every service has a side: what it announced, and what it took in. */
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
