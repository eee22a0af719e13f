import { startTemporaryPostgres } from '../start-postgres';
import { holdServer } from './test-server';

/** One server for all suites of this run, unless `TEST_DATABASE_URL` or `DATABASE_URL` names one. */
export default async function globalSetup(): Promise<void> {
  const given = process.env.TEST_DATABASE_URL || process.env.DATABASE_URL;
  if (given) {
    process.env.TEST_DATABASE_URL = given;
    return;
  }
  const server = await startTemporaryPostgres();
  process.env.TEST_DATABASE_URL = server.url;
  holdServer(server);
}
