import type { DataSource } from 'typeorm';

/**
 * Does the work unless another process is at it. The lock belongs to a connection, and ends with it.
 * @param lock any constant of the work
 * @returns whether it was done
 */
export async function onlyOne(dataSource: DataSource, lock: number, work: () => Promise<void>): Promise<boolean> {
  const connection = dataSource.createQueryRunner();
  try {
    const [row] = (await connection.query('SELECT pg_try_advisory_lock($1) AS mine', [lock])) as [{ mine: boolean }];
    if (!row.mine) return false;
    await work().finally(() => connection.query('SELECT pg_advisory_unlock($1)', [lock]));
    return true;
  } finally {
    await connection.release();
  }
}
