import type { DataSource } from 'typeorm';

/**
 * Asks the running subscription to try its parked events again: it does so within moments.
 * @returns how many aggregates wait
 */
export async function requestReplay(dataSource: Pick<DataSource, 'query'>, consumer: string): Promise<number> {
  const [{ waiting } = { waiting: 0 }] = await dataSource.query<{ waiting: number }[]>(
    `WITH asked AS (UPDATE parked SET replay_requested_at = now() WHERE consumer = $1 RETURNING aggregate)
     SELECT count(DISTINCT aggregate)::integer AS waiting FROM asked`,
    [consumer],
  );
  return waiting;
}
