import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiledPrograms } from '../../programs/kept';
import { startServices, VARIABLES, type ServiceName } from '../backing-services';
import { COMPILED_PROGRAMS, ROOT, servicesOfTheRun } from './of-the-run';

/**
 * PostgreSQL, and Redis and Kafka where a suite of this run names them, Chromium for suites of browsers: one of each for all, their
 * addresses in `TEST_DATABASE_URL`, `TEST_REDIS_URL`, `TEST_KAFKA_BROKERS` and `TEST_BROWSER_ENDPOINT`. A variable that is set,
 * with or without `TEST_`, names one to use instead. Where a suite of this run starts programs, they are compiled first.
 */
export default async function globalSetup(): Promise<void> {
  const needed: ServiceName[] = ['postgres', ...(servicesOfTheRun.evenkeelNeededServices ?? [])];
  const missing = needed.filter((name) => {
    const variable = VARIABLES[name];
    const given = process.env[`TEST_${variable}`] || process.env[variable];
    if (given) process.env[`TEST_${variable}`] = given;
    return !given;
  });
  if (servicesOfTheRun.evenkeelStartsPrograms) process.env[COMPILED_PROGRAMS] = await workspacePrograms();
  const services = await startServices(missing);
  for (const { name, address } of services) process.env[`TEST_${VARIABLES[name]}`] = address;
  servicesOfTheRun.evenkeelServices = services;
}

/** Loads every service, and does nothing. */
const SERVICES = 'apps/standalone/src/hosted-services.ts';
/** Programs that only tests know. */
const FIXTURES = [
  'apps/billing/src/fault-tests/worker-program.fixture.ts',
  'apps/reporting/src/projection/worker-program.fixture.ts',
];

/** The file with all programs behind the scripts of package.json, and those of tests. */
function workspacePrograms(): Promise<string> {
  const manifest = readFileSync(join(ROOT, 'package.json'), 'utf8');
  const { scripts } = JSON.parse(manifest) as { scripts: Record<string, string> };
  const behindScripts = Object.values(scripts).flatMap((script) => script.match(/\b(?:apps|tools)\/\S+\.ts\b/g) ?? []);
  return compiledPrograms({
    root: ROOT,
    folder: join(ROOT, 'node_modules/.cache/evenkeel-programs'),
    entries: [...new Set([...behindScripts, ...FIXTURES, SERVICES])].sort(),
    children: ['libs/habit-files/src/process/program.ts'],
    warmUp: [SERVICES],
  });
}
