import { randomBytes } from 'node:crypto';
import { ACCOUNTS, AccountsConfig, MIGRATIONS as ACCOUNTS_MIGRATIONS } from '@evenkeel/accounts';
import { BILLING, BillingConfig, MIGRATIONS as BILLING_MIGRATIONS } from '@evenkeel/billing';
import { ManualClock } from '@evenkeel/kernel';
import { type Environment, loadConfig, newEs256Key } from '@evenkeel/platform/config';
import { InProcessBroker } from '@evenkeel/platform/messaging';
import { createLogger } from '@evenkeel/platform/observability';
import { createTestDatabase, type TestDatabase } from '@evenkeel/platform/testing';
import { ask, serveService, type Reply } from '@evenkeel/platform/testing/service';
import { MIGRATIONS as REPORTING_MIGRATIONS, REPORTING, ReportingConfig } from '@evenkeel/reporting';
import { DevelopmentStripe } from '@evenkeel/stripe';

const BASE_URL = 'http://localhost:8080';
const ADMIN_TOKEN = 'the word that operators know';
const EMAIL = 'ana@example.com';
const PASSWORD = 'a long password of somebody';

interface Request {
  token?: string;
  admin?: boolean;
  body?: unknown;
}

/** Accounts, billing and reporting with the development Stripe, all at one time that only the story moves. */
export class CustomerProduct {
  private readonly urls: Record<string, string> = {};

  private constructor(
    readonly clock: ManualClock,
    readonly stripe: DevelopmentStripe,
    readonly databases: Record<'accounts' | 'billing' | 'reporting', TestDatabase>,
    private readonly broker: InProcessBroker,
    private readonly closers: (() => Promise<void>)[],
  ) {}

  static async start(begin: Date, settings: Environment = {}): Promise<CustomerProduct> {
    const clock = new ManualClock(begin);
    const stripe = await DevelopmentStripe.start({ clock });
    const broker = new InProcessBroker(createLogger('test', { level: 'silent' }));
    const database = (name: string, migrations: typeof BILLING_MIGRATIONS) =>
      createTestDatabase({ name, entities: [], migrations });
    const databases = {
      accounts: await database('accounts', ACCOUNTS_MIGRATIONS),
      billing: await database('billing', BILLING_MIGRATIONS),
      reporting: await database('reporting', REPORTING_MIGRATIONS),
    };
    const product = new CustomerProduct(clock, stripe, databases, broker, []);
    await product.open(settings);
    return product;
  }

  /** Signed in by now; nothing of an earlier time is used again. */
  async token(email = EMAIL): Promise<string> {
    const { body } = await this.accounts('POST', '/v1/auth/login', { body: { email, password: PASSWORD } });
    return body['accessToken'] as string;
  }

  register(email = EMAIL): Promise<Reply> {
    return this.accounts('POST', '/v1/auth/register', { body: { email, password: PASSWORD } });
  }

  async leave(): Promise<Reply> {
    return this.accounts('DELETE', '/v1/account', { token: await this.token(), body: { password: PASSWORD } });
  }

  accounts(method: string, path: string, request: Request = {}): Promise<Reply> {
    return this.send('accounts', method, path, request);
  }

  /** @param token default: of a new sign-in */
  async billing(method: string, path: string, body?: unknown, token?: string): Promise<Reply> {
    return this.send('billing', method, `/v1/billing/${path}`, { token: token ?? (await this.token()), body });
  }

  /** As operators read it. */
  async revenue(path: string): Promise<Reply> {
    return this.send('reporting', 'GET', `/v1/admin/revenue/${path}`, { admin: true });
  }

  /** Time passes: renewals and retries at the provider happen, and their events are delivered. */
  async until(instant: string): Promise<void> {
    await this.stripe.advance(new Date(instant));
  }

  async close(): Promise<void> {
    for (const close of this.closers.reverse()) await close();
  }

  private async open(settings: Environment): Promise<void> {
    const { clock, broker, databases, stripe } = this;
    this.closers.push(
      ...Object.values(databases).map((database) => () => database.drop()),
      () => broker.close(),
      () => stripe.close(),
    );
    const common = (name: keyof typeof databases) => ({
      DATABASE_URL: databases[name].url,
      PUBLIC_BASE_URL: BASE_URL,
      RATE_LIMIT_SCALE: '1000',
      ...settings,
    });
    const accounts = loadConfig(AccountsConfig, {
      ARGON2_MEMORY_KIB: '8',
      ARGON2_PASSES: '1',
      JWT_KEYS: newEs256Key('test'),
      REFRESH_TOKEN_KEYS: `test:${randomBytes(32).toString('base64')}`,
      ...common('accounts'),
    });
    const served = async (name: string, running: ReturnType<typeof serveService>): Promise<void> => {
      const { running: http } = await running;
      this.urls[name] = http.url;
      this.closers.push(() => http.close());
    };
    await served('accounts', serveService(ACCOUNTS, accounts, { clock, transport: broker }));
    const billing = loadConfig(BillingConfig, {
      ...stripe.settings(),
      JWKS_URL: `${this.urls['accounts']}/.well-known/jwks.json`,
      ...common('billing'),
    });
    await served('billing', serveService(BILLING, billing, { clock, transport: broker }));
    const reporting = loadConfig(ReportingConfig, { ADMIN_TOKEN, ...common('reporting') });
    await served('reporting', serveService(REPORTING, reporting, { clock, transport: broker }));
    stripe.sendTo(`${this.urls['billing']}/v1/billing/webhook/stripe`);
  }

  private send(service: string, method: string, path: string, { token, admin, body }: Request): Promise<Reply> {
    return ask(this.urls[service] + path, {
      method,
      signal: AbortSignal.timeout(20_000),
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(admin && { 'x-admin-token': ADMIN_TOKEN }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
}
