import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { databaseOptions as accountsDatabase } from '@evenkeel/accounts';
import { databaseOptions as billingDatabase } from '@evenkeel/billing';
import { createTopics } from '@evenkeel/platform/kafka';
import { newEs256Key } from '@evenkeel/platform/keys';
import { migrate } from '@evenkeel/platform/persistence';
import { ensureDatabase, startKafka } from '@evenkeel/services';
import { built } from '../processes/built';
import type { Child } from '../processes/child';
import { Scene } from '../processes/scene';
import { ProviderEvents, type Subscriber } from './provider-events';

/** Somebody with an account, who is about to pay. */
export interface Payer {
  token: string;
  subscriber: Subscriber;
}

/** Accounts and billing as in production, two processes each, over a Kafka of one node and a PostgreSQL with fsync. */
export class AccessStage extends Scene {
  accounts!: Child;
  billing!: Child;
  readonly provider = new ProviderEvents();
  private people = 0;

  static set(): Promise<AccessStage> {
    const stage = new AccessStage();
    return stage.opened(() => stage.build());
  }

  async payer(): Promise<Payer> {
    const email = `bench-${++this.people}@example.com`;
    const response = await fetch(`${this.accounts.url}/v1/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: 'correct horse of the benchmark' }),
    });
    if (!response.ok) throw new Error(`nobody can register: ${response.status} ${await response.text()}`);
    const { user, accessToken: token } = (await response.json()) as { user: { id: string }; accessToken: string };
    return { token, subscriber: this.provider.subscriber(user.id) };
  }

  private async build(): Promise<void> {
    const kafka = await startKafka();
    this.closeLater(() => kafka.stop());
    const log = { warn: () => undefined, error: () => undefined };
    await createTopics({ access: { brokers: [kafka.brokers] }, log });
    const server = await this.startPostgres();
    const databases = {
      accounts: await ensureDatabase(server, 'accounts'),
      billing: await ensureDatabase(server, 'billing'),
    };
    await migrate(accountsDatabase({ DATABASE_URL: databases.accounts }));
    await migrate(billingDatabase({ DATABASE_URL: databases.billing }));
    const common = {
      ...{ KAFKA_BROKERS: kafka.brokers, PUBLIC_BASE_URL: 'http://localhost:8080', RATE_LIMIT_SCALE: '1000000' },
      ...{ PORT: '0', INTERNAL_PORT: '0', WORKER_INTERNAL_PORT: '0' },
    };
    this.accounts = await this.both('@evenkeel/accounts', {
      ...{ ...common, DATABASE_URL: databases.accounts, SMTP_URL: 'none', JWT_KEYS: newEs256Key('bench') },
      REFRESH_TOKEN_KEYS: `bench:${randomBytes(32).toString('base64')}`,
    });
    this.billing = await this.both('@evenkeel/billing', {
      ...{ ...common, DATABASE_URL: databases.billing, JWKS_URL: `${this.accounts.url}/.well-known/jwks.json` },
      ...{ STRIPE_WEBHOOK_SECRET: this.provider.secret, STRIPE_PRICE_MONTHLY: 'price_monthly' },
    });
  }

  /** @returns the half that answers over HTTP */
  private async both(app: string, env: Record<string, string>): Promise<Child> {
    const program = await built(app, 'main');
    const main = await this.start(program, { isBuilt: true, env });
    await this.start(join(dirname(program), 'worker.js'), { isBuilt: true, env });
    return main;
  }
}
