import { ENTITIES as ACCOUNTS_ENTITIES, MIGRATIONS as ACCOUNTS_MIGRATIONS } from '@evenkeel/accounts';
import { ENTITIES as BILLING_ENTITIES, MIGRATIONS as BILLING_MIGRATIONS } from '@evenkeel/billing';
import { newEs256Key } from '@evenkeel/platform/config';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import type { DevelopmentStripe } from '@evenkeel/stripe';
import { Program } from './program.fixture';

const BASE_URL = 'http://localhost:8080';
const PASSWORD = 'a long word that nobody guesses';

const PROCESS = {
  PORT: '0',
  INTERNAL_PORT: '0',
  WORKER_INTERNAL_PORT: '0',
  PUBLIC_BASE_URL: BASE_URL,
  RATE_LIMIT_SCALE: '1000',
};

export interface Person {
  id: string;
  /** Of their first sign-in, whatever happens later. */
  token: string;
  refreshToken: string;
}

/** An answer with a pair of tokens, or a refusal. */
interface Refreshed {
  accessToken?: string;
  refreshToken?: string;
  error?: string;
}

/** Accounts and billing as they run in a cluster: two processes each, over Kafka alone. */
export class PeoplePrograms {
  accountsUrl = '';
  billingUrl = '';
  private registered = 0;

  private constructor(
    readonly accounts: TestDatabase,
    readonly billing: TestDatabase,
    private readonly stripe: DevelopmentStripe,
    private readonly services: Readonly<Record<string, string>>,
  ) {}

  /** @param services addresses of Kafka */
  static async start(stripe: DevelopmentStripe, services: Readonly<Record<string, string>>): Promise<PeoplePrograms> {
    const [accounts, billing] = await Promise.all([
      createTestDatabase({ name: 'accounts', entities: ACCOUNTS_ENTITIES, migrations: ACCOUNTS_MIGRATIONS }),
      createTestDatabase({ name: 'billing', entities: BILLING_ENTITIES, migrations: BILLING_MIGRATIONS }),
    ]);
    const started = new PeoplePrograms(accounts, billing, stripe, services);
    await started.startAccounts();
    const [main, worker] = ['main', 'worker'].map((entry) =>
      Program.start(`apps/billing/src/${entry}.ts`, started.billingEnv()),
    );
    await worker!.ready();
    started.billingUrl = (await main!.ready()).url;
    stripe.sendTo(`${started.billingUrl}/v1/billing/webhook/stripe`);
    return started;
  }

  private async startAccounts(): Promise<void> {
    const env = {
      ...PROCESS,
      ...this.services,
      DATABASE_URL: this.accounts.url,
      JWT_KEYS: newEs256Key('e2e'),
      REFRESH_TOKEN_KEYS: `e2e:${Buffer.alloc(32, 5).toString('base64')}`,
      ARGON2_MEMORY_KIB: '8',
      ARGON2_PASSES: '1',
    };
    const [main, worker] = ['main', 'worker'].map((entry) => Program.start(`apps/accounts/src/${entry}.ts`, env));
    this.accountsUrl = (await main!.ready()).url;
    await worker!.ready();
  }

  private billingEnv(): NodeJS.ProcessEnv {
    const jwks = { JWKS_URL: `${this.accountsUrl}/.well-known/jwks.json` };
    return { ...PROCESS, ...this.services, ...this.stripe.settings(), ...jwks, DATABASE_URL: this.billing.url };
  }

  async person(): Promise<Person> {
    const email = `person-${++this.registered}@example.com`;
    const { user, accessToken, refreshToken } = await this.ask<{
      user: { id: string };
      accessToken: string;
      refreshToken: string;
    }>('POST', '/v1/auth/register', { email, password: PASSWORD });
    return { id: user.id, token: accessToken, refreshToken };
  }

  /** The answer of accounts to the bearer of a token. */
  async tierOf({ token }: Person): Promise<string> {
    return (await this.ask<{ tier: string }>('GET', '/v1/auth/me', undefined, token)).tier;
  }

  /** Exchanges a refresh token. */
  async refresh(refreshToken: string | undefined): Promise<Refreshed> {
    const response = await fetch(`${this.accountsUrl}/v1/auth/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refreshToken }),
    });
    return (await response.json()) as Refreshed;
  }

  /** Which status each service gives to the bearer of a token. */
  async statusesOf(token: string | undefined): Promise<{ accounts: number; billing: number }> {
    const headers = { authorization: `Bearer ${token}` };
    const [accounts, billing] = await Promise.all([
      fetch(`${this.accountsUrl}/v1/auth/me`, { headers }),
      fetch(`${this.billingUrl}/v1/billing/me`, { headers }),
    ]);
    await Promise.all([accounts.text(), billing.text()]);
    return { accounts: accounts.status, billing: billing.status };
  }

  private async ask<Answer>(method: string, path: string, body?: object, token?: string): Promise<Answer> {
    const response = await fetch(this.accountsUrl + path, {
      method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Answer;
  }

  async drop(): Promise<void> {
    await Promise.all([this.accounts.drop(), this.billing.drop()]);
  }
}
