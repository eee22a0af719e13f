import type { INestApplicationContext } from '@nestjs/common';
import type { Readiness } from '@evenkeel/platform';
import { DataSource } from 'typeorm';
import { FollowStream } from './projection/follow-stream';

/** All answers are read from the database. */
export function readinessOf(app: INestApplicationContext): Readiness {
  const dataSource = app.get(DataSource);
  return async () => ({
    database: await dataSource.query('SELECT 1').then(
      () => true,
      () => false,
    ),
  });
}

/** The worker needs a reader too that has shown a sign of life within the last minute. */
export function workerReadinessOf(app: INestApplicationContext): Readiness {
  const database = readinessOf(app);
  const stream = app.get(FollowStream);
  return async () => ({ ...(await database()), events: stream.isAlive() });
}
