import type { INestApplicationContext } from '@nestjs/common';
import type { Readiness } from '@evenkeel/platform';
import { DataSource } from 'typeorm';

/** The gateway can do nothing for money without its ledger; it needs nothing else to be ready. */
export function readinessOf(app: INestApplicationContext): Readiness {
  const dataSource = app.get(DataSource);
  return async () => ({
    database: await dataSource.query('SELECT 1').then(
      () => true,
      () => false,
    ),
  });
}
