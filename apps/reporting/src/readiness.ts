import type { INestApplicationContext } from '@nestjs/common';
import type { Readiness } from '@evenkeel/platform';
import { DataSource } from 'typeorm';

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
