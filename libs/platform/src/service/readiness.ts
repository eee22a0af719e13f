import type { INestApplicationContext } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { ServiceConfig } from '../config';
import type { Readiness } from '../http';
import type { Service } from './service';

/** A service can do nothing without its database, and needs nothing else to answer. */
export function databaseReadiness(app: INestApplicationContext): Readiness {
  const dataSource = app.get(DataSource);
  return async () => ({
    database: await dataSource.query('SELECT 1').then(
      () => true,
      () => false,
    ),
  });
}

/** What the background half needs, in a process of its own or beside the other. */
export function workerReadiness<Config extends ServiceConfig>(
  { workerReadiness: readinessOf }: Service<Config>,
  app: INestApplicationContext,
): Readiness {
  const database = databaseReadiness(app);
  const others = readinessOf?.(app);
  return async () => ({ ...(await database()), ...(await others?.()) });
}
