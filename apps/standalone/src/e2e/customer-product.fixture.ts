import { ACCOUNTS, AccountsConfig } from '@evenkeel/accounts';
import { BILLING, BillingConfig } from '@evenkeel/billing';
import { ManualClock } from '@evenkeel/kernel';
import { loadConfig } from '@evenkeel/platform/config';
import { InProcessBroker } from '@evenkeel/platform/messaging';
import { createLogger } from '@evenkeel/platform/observability';
import type { TestDatabase } from '@evenkeel/platform/testing';
import { ask, jsonRequest, serveService, type AskOptions, type Reply } from '@evenkeel/platform/testing/service';
import { REPORTING, ReportingConfig } from '@evenkeel/reporting';
import { DevelopmentStripe } from '@evenkeel/stripe';
import { ADMIN_TOKEN, databaseOf, settingsOf } from './programs.fixture';

const LOGIN = { email: 'ana@example.com', password: 'a long password of somebody' };

/** Accounts, billing and reporting with the development Stripe, all at one time that only the story moves. */
export class CustomerProduct {
  readonly databases: Record<string, TestDatabase> = {};
  private readonly urls: Record<string, string> = {};
  private readonly closers: (() => Promise<unknown>)[] = [];

  private constructor(
    readonly clock: ManualClock,
    readonly stripe: DevelopmentStripe,
  ) {}

  static async start(begin: Date): Promise<CustomerProduct> {
    const clock = new ManualClock(begin);
    const stripe = await DevelopmentStripe.start({ clock });
    const product = new CustomerProduct(clock, stripe);
    await product.serve();
    return product;
  }

  private async serve(): Promise<void> {
    const { clock, stripe, urls } = this;
    const transport = new InProcessBroker(createLogger('test', { level: 'silent' }));
    this.closers.push(
      () => stripe.close(),
      () => transport.close(),
    );
    const served = async (
      name: 'accounts' | 'billing' | 'reporting',
      serving: (env: Record<string, string>) => ReturnType<typeof serveService>,
    ): Promise<void> => {
      const database = await databaseOf(name);
      this.databases[name] = database;
      const { running } = await serving(settingsOf(name, database));
      urls[name] = running.url;
      this.closers.push(
        () => database.drop(),
        () => running.close(),
      );
    };
    const shared = { clock, transport };
    await served('accounts', (env) => serveService(ACCOUNTS, loadConfig(AccountsConfig, env), shared));
    const jwks = { JWKS_URL: `${urls['accounts']}/.well-known/jwks.json`, BILLING_TRIAL_DAYS: '14' };
    await served('billing', (env) =>
      serveService(BILLING, loadConfig(BillingConfig, { ...env, ...stripe.settings(), ...jwks }), shared),
    );
    await served('reporting', (env) => serveService(REPORTING, loadConfig(ReportingConfig, env), shared));
    stripe.sendTo(`${urls['billing']}/v1/billing/webhook/stripe`);
  }

  /** Signed in by now; nothing of an earlier time is used again. */
  async token(): Promise<string> {
    return (await this.accounts('POST', 'auth/login', { body: LOGIN })).body['accessToken'] as string;
  }

  register(): Promise<Reply> {
    return this.accounts('POST', 'auth/register', { body: LOGIN });
  }

  async leave(): Promise<Reply> {
    return this.accounts('DELETE', 'account', { token: await this.token(), body: { password: LOGIN.password } });
  }

  accounts(method: string, path: string, options: AskOptions = {}): Promise<Reply> {
    return ask(`${this.urls['accounts']}/v1/${path}`, jsonRequest(method, options));
  }

  /** @param token default: of a new sign-in */
  async billing(method: string, path: string, body?: unknown, token?: string): Promise<Reply> {
    const request = jsonRequest(method, { token: token ?? (await this.token()), body });
    return ask(`${this.urls['billing']}/v1/billing/${path}`, request);
  }

  /** As operators read it. */
  revenue(path: string): Promise<Reply> {
    const request = jsonRequest('GET', { headers: { 'x-admin-token': ADMIN_TOKEN } });
    return ask(`${this.urls['reporting']}/v1/admin/revenue/${path}`, request);
  }

  /** Time passes: renewals and retries at the provider happen, and their events are delivered. */
  async until(instant: string): Promise<void> {
    await this.stripe.advance(new Date(instant));
  }

  async close(): Promise<void> {
    for (const close of this.closers.reverse()) await close();
  }
}
