import { ENTITIES as ACCOUNTS_ENTITIES, MIGRATIONS as ACCOUNTS_MIGRATIONS } from '@evenkeel/accounts';
import { ENTITIES as GATEWAY_ENTITIES, MIGRATIONS as GATEWAY_MIGRATIONS } from '@evenkeel/agent-gateway';
import { ENTITIES as BILLING_ENTITIES, MIGRATIONS as BILLING_MIGRATIONS } from '@evenkeel/billing';
import type { AppName } from '@evenkeel/contracts';
import { newEs256Key } from '@evenkeel/platform/config';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { ENTITIES as REPORTING_ENTITIES, MIGRATIONS as REPORTING_MIGRATIONS } from '@evenkeel/reporting';
import { Program, stopPrograms } from '@evenkeel/services/programs';

export { Program, stopPrograms, type Exit } from '@evenkeel/services/programs';

/** Where the payments of these tests go. */
export const PAY_TO = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
/** The word that operators show in these tests. */
export const ADMIN_TOKEN = 'the word that operators know';

/** Of the same bytes everywhere, as replicas have it: one answers what another has stored. */
const keyOf = (byte: number) => `e2e:${Buffer.alloc(32, byte).toString('base64')}`;

const SERVICES = {
  'agent-gateway': {
    entities: GATEWAY_ENTITIES,
    migrations: GATEWAY_MIGRATIONS,
    settings: { X402_PAY_TO: PAY_TO, ANSWER_KEYS: keyOf(7), RECEIPT_KEYS: keyOf(9) },
  },
  accounts: {
    entities: ACCOUNTS_ENTITIES,
    migrations: ACCOUNTS_MIGRATIONS,
    // Real hashes, of the smallest size there is.
    settings: {
      JWT_KEYS: newEs256Key('e2e'),
      REFRESH_TOKEN_KEYS: keyOf(5),
      ARGON2_MEMORY_KIB: '8',
      ARGON2_PASSES: '1',
    },
  },
  billing: { entities: BILLING_ENTITIES, migrations: BILLING_MIGRATIONS, settings: {} },
  reporting: { entities: REPORTING_ENTITIES, migrations: REPORTING_MIGRATIONS, settings: { ADMIN_TOKEN } },
};

export function databaseOf(name: AppName): Promise<TestDatabase> {
  const { entities, migrations } = SERVICES[name];
  return createTestDatabase({ name, entities, migrations });
}

const ofSuite: TestDatabase[] = [];
/** Ends with the suite, after the programs that use it. */
export async function databaseOfSuite(name: AppName): Promise<TestDatabase> {
  const database = await databaseOf(name);
  ofSuite.push(database);
  return database;
}
afterAll(async () => {
  await stopPrograms();
  await Promise.all(ofSuite.map((database) => database.drop()));
}, 60_000);

/** Settings of main and worker of a service; all requests of a test come from one address. */
export function settingsOf(name: AppName, { url }: TestDatabase, more: object = {}): Record<string, string> {
  const common = { PUBLIC_BASE_URL: 'http://localhost:8080', RATE_LIMIT_SCALE: '1000', DATABASE_URL: url };
  return { ...common, ...SERVICES[name].settings, ...more };
}

export interface Started {
  url: string;
  internalUrl: string;
  program: Program;
}

/** The HTTP half of a service, or its worker, as a process of its own. */
export async function start(
  name: AppName,
  env: NodeJS.ProcessEnv,
  entry: 'main' | 'worker' = 'main',
): Promise<Started> {
  const program = Program.service(`apps/${name}/src/${entry}.ts`, env);
  return { program, ...(await program.ready()) };
}

/** Both. */
export async function startBoth(name: AppName, env: NodeJS.ProcessEnv): Promise<Started & { worker: Program }> {
  const [main, { program: worker }] = await Promise.all([start(name, env), start(name, env, 'worker')]);
  return { ...main, worker };
}

/** What `npm run topics:create` makes. */
export async function createTopics(brokers: string): Promise<void> {
  expect(await Program.script('topics:create', { KAFKA_BROKERS: brokers }).exit).toEqual({ code: 0, signal: null });
}

/** An answer of `/v1/admin/revenue/…` to an operator. */
export async function askReporting<Answer>(url: string, path: string): Promise<Answer> {
  const response = await fetch(`${url}/v1/admin/revenue/${path}`, { headers: { 'x-admin-token': ADMIN_TOKEN } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}
