import type { Heartbeat, HeartbeatStore } from '@evenkeel/platform/messaging';
import type { DataSource, QueryRunner } from 'typeorm';

/** For the migration of an app that says how fresh its answers are. */
export async function createHeartbeats(runner: QueryRunner): Promise<void> {
  await runner.query(`
      CREATE TABLE heartbeats (
        subscription text NOT NULL,
        partition integer NOT NULL,
        heard_at timestamptz NOT NULL,
        waited interval NOT NULL,
        PRIMARY KEY (subscription, partition)
      ) WITH (fillfactor = 50)`);
  await runner.query(`COMMENT ON COLUMN heartbeats.waited IS
      'How long the oldest event had waited to be published, by the clock of its owner'`);
}

export async function dropHeartbeats(runner: QueryRunner): Promise<void> {
  await runner.query('DROP TABLE heartbeats');
}

const AWAITED = `
  INSERT INTO heartbeats (subscription, partition, heard_at, waited)
  SELECT $1, partition, now(), interval '0' FROM unnest($2::integer[]) AS partition
  WHERE NOT $3 OR EXISTS (SELECT FROM heartbeats WHERE subscription = $1)
  ON CONFLICT DO NOTHING`;

const RECEIVED = `
  INSERT INTO heartbeats AS h (subscription, partition, heard_at, waited)
  SELECT $1, partition, now(), make_interval(secs => waited_ms::float8 / 1000)
  FROM unnest($2::integer[], $3::bigint[]) AS beat (partition, waited_ms)
  ON CONFLICT (subscription, partition) DO UPDATE SET heard_at = excluded.heard_at, waited = excluded.waited`;

/** The heartbeats of a stream, for `Freshness`: from the first look on, a partition without any is silent. */
export class HeartbeatTable implements HeartbeatStore {
  private expected = 0;

  /**
   * @param options ownerMayBeMissing: the service that owns the stream need not be installed; it is silent only after a first
   *   heartbeat
   */
  constructor(
    private readonly dataSource: DataSource,
    private readonly subscription: string,
    private readonly options: { ownerMayBeMissing?: boolean } = {},
  ) {}

  /** Partitions are only added: their number says whether there is a new one. */
  async expectFrom(partitions: readonly number[]): Promise<void> {
    if (partitions.length === this.expected) return;
    const { ownerMayBeMissing = false } = this.options;
    await this.dataSource.query(AWAITED, [this.subscription, partitions, ownerMayBeMissing]);
    if (!ownerMayBeMissing) this.expected = partitions.length;
  }

  async take(heartbeats: readonly Heartbeat[]): Promise<void> {
    const partitions = heartbeats.map(({ partition }) => partition);
    const values = [this.subscription, partitions, heartbeats.map(({ waitedMs }) => waitedMs)];
    await this.dataSource.query(RECEIVED, values);
  }
}
