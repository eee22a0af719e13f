import type { DataSource, QueryRunner } from 'typeorm';
import type { EventTransport } from '../messaging';

/** The tables that a service makes of the events of one stream; a database holds one projection. */
export interface Projection {
  /** Group at the broker, and `consumer` of inbox and parked events. */
  subscription: string;
  stream: string;
  /** Everything in them is made of events alone: a restart empties them. */
  tables: readonly string[];
  /** Those of them that hold one row from the beginning, made of their defaults. */
  singleRowTables: readonly string[];
  /** SQL: the instant of the oldest row, null while there is none. */
  oldestRow: string;
}

/** They say which events are applied. */
const INBOX_TABLES = ['inbox', 'inbox_positions', 'parked'] as const;

/**
 * For the transaction that applies events, with their number and the oldest of their instants as $1 and $2. The one row
 * of progress is also a lock: a second delivery waits here, and not in the middle of its tables.
 */
export const COUNT_APPLIED =
  'UPDATE progress SET applied = applied + $1, caught_up_at = least(caught_up_at, $2::timestamptz)';

/** For the migration of an app with a projection: how far its worker has come, and requests to restart. */
export async function createProgress(runner: QueryRunner): Promise<void> {
  await runner.query(`
      CREATE TABLE progress (
        single boolean PRIMARY KEY DEFAULT true CHECK (single),
        caught_up_at timestamptz NOT NULL DEFAULT now(),
        checked_at timestamptz,
        unread bigint NOT NULL DEFAULT 0,
        applied bigint NOT NULL DEFAULT 0
      ) WITH (fillfactor = 10)`);
  await runner.query(`COMMENT ON COLUMN progress.caught_up_at IS
      'Everything that the stream held at this moment is applied'`);
  await runner.query(`COMMENT ON COLUMN progress.checked_at IS
      'When a worker last compared what is applied with the end of the stream'`);
  await runner.query(`INSERT INTO progress DEFAULT VALUES`);
  await runner.query(`
      CREATE TABLE rebuilds (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        requested_at timestamptz NOT NULL DEFAULT now(),
        emptied_at timestamptz,
        rewound_at timestamptz
      )`);
  await runner.query(`CREATE INDEX rebuilds_open ON rebuilds (id) WHERE rewound_at IS NULL`);
}

export async function dropProgress(runner: QueryRunner): Promise<void> {
  await runner.query('DROP TABLE rebuilds, progress');
}

const OPEN_REQUEST = 'SELECT FROM rebuilds WHERE rewound_at IS NULL LIMIT 1';

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
    return (await this.dataSource.query<object[]>(OPEN_REQUEST)).length > 0;
  }

  /** The caller does not read. Rejects while another worker does: try again. */
  async execute(): Promise<void> {
    await this.empty();
    await this.transport.rewind(this.projection.subscription);
    await this.dataSource.query(
      'UPDATE rebuilds SET rewound_at = now() WHERE emptied_at IS NOT NULL AND rewound_at IS NULL',
    );
  }

  private async empty(): Promise<void> {
    const { tables, singleRowTables, oldestRow } = this.projection;
    await this.dataSource.transaction(async (tx) => {
      // A reader that holds one table and wants the next one gets it before PostgreSQL would call it a deadlock; the
      // next round tries again.
      await tx.query(`SET LOCAL lock_timeout = '200ms'`);
      // The second worker finds nothing to empty.
      const requests = await tx.query<object[]>('SELECT FROM rebuilds WHERE emptied_at IS NULL FOR UPDATE');
      if (requests.length === 0) return;
      // All rows are unapplied now: the oldest of them is as old as the projection is behind.
      await tx.query(`
        WITH oldest AS (SELECT ${oldestRow} AS at)
        UPDATE progress SET applied = 0, checked_at = NULL, caught_up_at = least(caught_up_at, (SELECT at FROM oldest))`);
      await tx.query(`TRUNCATE ${[...tables, ...INBOX_TABLES].join(', ')}`);
      for (const table of singleRowTables) await tx.query(`INSERT INTO ${table} DEFAULT VALUES`);
      await tx.query('UPDATE rebuilds SET emptied_at = now() WHERE emptied_at IS NULL');
    });
  }
}
