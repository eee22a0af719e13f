import { startServices, VARIABLES, type ServiceName } from '../backing-services';
import { servicesOfTheRun } from './of-the-run';

/**
 * PostgreSQL, and Redis and Kafka where a suite of this run names them, Chromium for suites of browsers: one of each for all, their
 * addresses in `TEST_DATABASE_URL`, `TEST_REDIS_URL`, `TEST_KAFKA_BROKERS` and `TEST_BROWSER_ENDPOINT`. A variable that is set,
 * with or without `TEST_`, names one to use instead.
 */
export default async function globalSetup(): Promise<void> {
  const needed: ServiceName[] = ['postgres', ...(servicesOfTheRun.evenkeelNeededServices ?? [])];
  const missing = needed.filter((name) => {
    const variable = VARIABLES[name];
    const given = process.env[`TEST_${variable}`] || process.env[variable];
    if (given) process.env[`TEST_${variable}`] = given;
    return !given;
  });
  const services = await startServices(missing);
  for (const { name, address } of services) process.env[`TEST_${VARIABLES[name]}`] = address;
  servicesOfTheRun.evenkeelServices = services;
}
