import { randomBytes } from 'node:crypto';
import { ENTITIES, MIGRATIONS } from '@evenkeel/accounts';
import { newEs256Key } from '@evenkeel/platform/config';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { ask, type Reply } from '@evenkeel/platform/testing/service';
import { Program } from './program.fixture';

const ANSWER_LIMIT_MS = 20_000;

export function accountsDatabase(): Promise<TestDatabase> {
  return createTestDatabase({ name: 'accounts', entities: ENTITIES, migrations: MIGRATIONS });
}

/** Settings of main and worker of accounts, beside the addresses of Kafka, Redis and a mail server. */
export function accountsEnv(database: TestDatabase): Record<string, string> {
  return {
    PORT: '0',
    INTERNAL_PORT: '0',
    WORKER_INTERNAL_PORT: '0',
    PUBLIC_BASE_URL: 'http://localhost:3001',
    DATABASE_URL: database.url,
    JWT_KEYS: newEs256Key('e2e'),
    SMTP_URL: 'none',
    RATE_LIMIT_SCALE: '1000',
    REFRESH_TOKEN_KEYS: `e2e:${randomBytes(32).toString('base64')}`,
    // Real hashes, of the smallest size there is.
    ARGON2_MEMORY_KIB: '8',
    ARGON2_PASSES: '1',
  };
}

export async function startAccounts(env: NodeJS.ProcessEnv): Promise<{ url: string; program: Program }> {
  const program = Program.start('apps/accounts/src/main.ts', env);
  return { program, url: (await program.ready()).url };
}

export async function startAccountsWorker(env: NodeJS.ProcessEnv): Promise<Program> {
  const program = Program.start('apps/accounts/src/worker.ts', env);
  await program.ready();
  return program;
}

/** The routes of accounts as a program of somebody asks them. */
export class AccountsClient {
  token = '';

  constructor(private readonly url: string) {}

  /** A JSON request, or a form. */
  send(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Reply> {
    const isForm = body instanceof FormData;
    return ask(`${this.url}/v1/${path}`, {
      method,
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
      headers: {
        ...(this.token !== '' && { authorization: `Bearer ${this.token}` }),
        ...(body && !isForm && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: isForm ? body : JSON.stringify(body) }),
    });
  }

  /** Somebody new, who is signed in from now on. */
  async register(person: { email: string; password: string } & Record<string, unknown>): Promise<Reply> {
    const reply = await this.send('POST', 'auth/register', person);
    this.token = reply.body['accessToken'] as string;
    return reply;
  }
}
