import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { EventEnvelope, Heartbeat } from '../messaging/cloud-events';
import type { EventTransport } from '../messaging/event-transport.port';

/** The tables that a service makes of the events of one stream. No table belongs to two projections. */
export interface Projection {
  /** Group at the broker, `consumer` of inbox and parked events: `<app>` of its first stream, `<app>.<stream>` of others. */
  subscription: string;
  stream: string;
  /** Everything in them is made of events alone: a restart empties them. */
  tables: readonly string[];
  /** SQL: the instant of the oldest row, null while there is none. */
  oldestRow: string;
  /** Where the heartbeats of the stream go; by default they are skipped. */
  heartbeats?: (dataSource: DataSource) => HeartbeatStore;
}

/** What a service stores of the heartbeats of a stream, to say how fresh its tables are. */
export interface HeartbeatStore {
  /** Called at each look, with all partitions that the stream has. */
  expectFrom(partitions: readonly number[]): Promise<void>;
  /** Called with the latest of each partition, after the events before it. */
  take(heartbeats: readonly Heartbeat[]): Promise<void>;
}

/** They say which events are applied. Positions first: a delivery that is at work holds them, and is waited for. */
const INBOX_TABLES = ['inbox_positions', 'inbox', 'parked'] as const;

const COUNT_APPLIED = `
  UPDATE progress SET applied = applied + $2, caught_up_at = least(caught_up_at, $3::timestamptz)
  WHERE subscription = $1`;

/**
 * Begins the transaction of a projection, before its consumers write: it records the events as applied. The row
 * of progress is also a lock: a second delivery waits here, and not in the middle of its tables.
 */
export function countApplied({ subscription }: Pick<Projection, 'subscription'>) {
  return async (events: readonly EventEnvelope<unknown>[], tx: EntityManager): Promise<void> => {
    const oldest = new Date(Math.min(...events.map(({ time }) => time.getTime())));
    await tx.query(COUNT_APPLIED, [subscription, events.length, oldest]);
  };
}

/** For the migration of an app with projections: how far its worker has come in each, and requests to restart. */
export async function createProgress(runner: QueryRunner, ...subscriptions: readonly string[]): Promise<void> {
  await runner.query(`
      CREATE TABLE progress (
        subscription text PRIMARY KEY,
        caught_up_at timestamptz NOT NULL DEFAULT now(),
        checked_at timestamptz,
        unread bigint NOT NULL DEFAULT 0,
        applied bigint NOT NULL DEFAULT 0
      ) WITH (fillfactor = 10)`);
  await runner.query(`COMMENT ON COLUMN progress.caught_up_at IS
      'Everything that the stream held at this moment is applied'`);
  await runner.query(`COMMENT ON COLUMN progress.checked_at IS
      'When a worker last compared what is applied with the end of the stream'`);
  await runner.query(`
      CREATE TABLE rebuilds (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        subscription text NOT NULL,
        requested_at timestamptz NOT NULL DEFAULT now(),
        emptied_at timestamptz,
        rewound_at timestamptz
      )`);
  await runner.query(`CREATE INDEX rebuilds_open ON rebuilds (id) WHERE rewound_at IS NULL`);
  await runner.query('INSERT INTO progress (subscription) SELECT unnest($1::text[])', [subscriptions]);
}

export async function dropProgress(runner: QueryRunner): Promise<void> {
  await runner.query('DROP TABLE rebuilds, progress');
}

const OPEN_REQUEST = 'SELECT FROM rebuilds WHERE subscription = $1 AND rewound_at IS NULL LIMIT 1';

/** Of a table that several subscriptions share; one statement stays short, whatever it holds. */
const DELETED_AT_ONCE = 50_000;

/**
 * Empties the projection and moves its group back to the first event.
 *
 * Tables first, then the group: the request stays open until both are done, no reader begins, and after a crash in
 * between the steps are repeated. A worker that reads meanwhile can only apply events without a missing predecessor,
 * which is right, and is remembered; it stops at its next look, and only then does the broker move the group.
 */
export class RestartProjection {
  constructor(
    private readonly projection: Projection,
    private readonly dataSource: DataSource,
    private readonly transport: EventTransport,
  ) {}

  async isRequested(): Promise<boolean> {
    return (await this.dataSource.query<object[]>(OPEN_REQUEST, [this.projection.subscription])).length > 0;
  }

  /** The caller does not read. Rejects while another worker does: try again. */
  async execute(): Promise<void> {
    const { subscription } = this.projection;
    await this.empty();
    await this.transport.rewind(subscription);
    await this.dataSource.query(
      'UPDATE rebuilds SET rewound_at = now() WHERE subscription = $1 AND emptied_at IS NOT NULL AND rewound_at IS NULL',
      [subscription],
    );
  }

  private async empty(): Promise<void> {
    const { subscription, tables, oldestRow } = this.projection;
    await this.dataSource.transaction(async (tx) => {
      // A reader that holds one table and wants the next one gets it before PostgreSQL would call it a deadlock; the
      // next round tries again.
      await tx.query(`SET LOCAL lock_timeout = '200ms'`);
      // The second worker finds nothing to empty.
      const requests = await tx.query<object[]>(
        'SELECT FROM rebuilds WHERE subscription = $1 AND emptied_at IS NULL FOR UPDATE',
        [subscription],
      );
      if (requests.length === 0) return;
      // All rows are unapplied now: the oldest of them is as old as the projection is behind.
      await tx.query(
        `WITH oldest AS (SELECT ${oldestRow} AS at)
         UPDATE progress SET applied = 0, checked_at = NULL, caught_up_at = least(caught_up_at, (SELECT at FROM oldest))
         WHERE subscription = $1`,
        [subscription],
      );
      await tx.query(`TRUNCATE ${tables.join(', ')}`);
      for (const table of INBOX_TABLES) await forget(tx, table, subscription);
      await tx.query('UPDATE rebuilds SET emptied_at = now() WHERE subscription = $1 AND emptied_at IS NULL', [
        subscription,
      ]);
    });
  }
}

async function forget(tx: EntityManager, table: string, subscription: string): Promise<void> {
  const slice = `SELECT ctid FROM ${table} WHERE consumer = $1 LIMIT ${DELETED_AT_ONCE}`;
  let deleted: number;
  do {
    [, deleted] = await tx.query<[unknown, number]>(`DELETE FROM ${table} WHERE ctid = ANY (ARRAY(${slice}))`, [
      subscription,
    ]);
  } while (deleted === DELETED_AT_ONCE);
}
