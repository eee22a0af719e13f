import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { ENTITIES, MIGRATIONS } from '@evenkeel/reporting';
import { Program } from './program.fixture';

/** The word that operators show in these tests. */
export const ADMIN_TOKEN = 'the word that operators know';

export function reportingDatabase(): Promise<TestDatabase> {
  return createTestDatabase({ name: 'reporting', entities: ENTITIES, migrations: MIGRATIONS });
}

/** Settings of main and worker of reporting, beside the addresses of Kafka and Redis. */
export function reportingEnv(database: TestDatabase): NodeJS.ProcessEnv {
  return {
    PORT: '0',
    INTERNAL_PORT: '0',
    WORKER_INTERNAL_PORT: '0',
    PUBLIC_BASE_URL: 'http://localhost:3003',
    DATABASE_URL: database.url,
    ADMIN_TOKEN,
    RATE_LIMIT_SCALE: '1000',
  };
}

export async function startReporting(env: NodeJS.ProcessEnv): Promise<{ url: string; program: Program }> {
  const program = Program.start('apps/reporting/src/main.ts', env);
  return { program, url: (await program.ready()).url };
}

export async function startReportingWorker(env: NodeJS.ProcessEnv): Promise<Program> {
  const program = Program.start('apps/reporting/src/worker.ts', env);
  await program.ready();
  return program;
}

/** An answer of `/v1/admin/revenue/…` to an operator. */
export async function askReporting<Answer>(url: string, path: string): Promise<Answer> {
  const response = await fetch(`${url}/v1/admin/revenue/${path}`, { headers: { 'x-admin-token': ADMIN_TOKEN } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}
