import { randomUUID } from 'node:crypto';
import { eventually } from '@evenkeel/platform/testing';
import type { Caller } from './caller';

const PASSWORD = 'a long walk by the sea';
const DAY_MS = 86_400_000;
const LOGS_A_DAY = 40;
const UPGRADED_WITHIN_MS = 60_000;
const READS = ['/v1/auth/me', '/v1/habits'];
/** An access token is valid for 15 minutes. */
const TOKEN_KEPT_MS = 10 * 60_000;

interface Person {
  id: string;
  email: string;
  token: string;
  tokenAt: number;
  habit: string;
  logs: number;
}

/** People with a subscription, and visitors without one: each log and analysis that was answered is counted. */
export class People {
  readonly logged = new Set<string>();
  /** Logs that were sent, and answered with an error or not at all: they are stored or not. */
  readonly uncertainLogs = new Set<string>();
  analyses = 0;
  /** Of which it is not known whether they were counted. */
  uncertainAnalyses = 0;
  private readonly people: Person[] = [];
  private readonly visitors: Person[] = [];
  private readonly subscribers: Person[] = [];
  private turn = 0;
  /** Days count back from here: while the traffic lasts, midnight may pass. */
  private readonly begunAt = Date.now();

  constructor(private readonly caller: Caller) {}

  /** Registers some, who upgrade on the hosted page of the development Stripe; and visitors, who only sign in. */
  async prepare(count: number, visitors: number): Promise<void> {
    while (this.visitors.length < visitors) this.visitors.push(await this.register());
    while (this.people.length < count) {
      const person = await this.register();
      const body = { name: 'Morning run', startDate: new Date(this.begunAt - 365 * DAY_MS).toISOString() };
      const { text } = await this.caller.expect(201, '/v1/habits', { body, headers: await this.bearer(person) });
      person.habit = (JSON.parse(text) as { id: string }).id;
      await this.upgrade(person);
      this.people.push(person);
    }
    await this.expectPremium();
  }

  /** @throws Error when a plan that was bought gives no access within a minute */
  async expectPremium(): Promise<void> {
    // One after the other: hundreds who ask again and again would keep the product from what they wait for.
    for (const person of this.subscribers) {
      const isPremium = async (): Promise<boolean> => {
        const { text } = await this.caller.expect(200, '/v1/auth/me', { headers: await this.bearer(person) });
        return (JSON.parse(text) as { tier: string }).tier === 'PREMIUM';
      };
      await eventually(isPremium, { withinMs: UPGRADED_WITHIN_MS }).catch((cause: Error) => {
        throw new Error(`An upgrade gives no access within a minute: ${cause.message}.`, { cause });
      });
    }
  }

  /** Those who only signed in until now buy a plan. */
  async upgradeVisitors(): Promise<void> {
    for (const visitor of this.visitors) await this.upgrade(visitor);
    await this.expectPremium();
  }

  get ids(): string[] {
    return this.people.map(({ id }) => id);
  }

  /** Of visitors in turn, who do nothing else: the oldest of twenty sessions ends. */
  async login(): Promise<void> {
    await this.signIn(this.visitors[this.turn++ % this.visitors.length]!);
  }

  async read(): Promise<void> {
    await this.caller.expect(200, READS[this.turn % READS.length]!, { headers: await this.bearer(this.next()) });
  }

  async plan(): Promise<void> {
    await this.caller.expect(200, '/v1/billing/me', { headers: await this.bearer(this.next()) });
  }

  /** Of a visitor, who does not pay. */
  async checkout(): Promise<void> {
    const headers = await this.bearer(this.visitors[0]!);
    await this.caller.expect(201, '/v1/billing/checkout', { body: { plan: 'premium_yearly' }, headers });
  }

  async log(): Promise<void> {
    const person = this.next();
    const headers = await this.bearer(person);
    const clientId = randomUUID();
    const daysAgo = 1 + Math.floor(person.logs++ / LOGS_A_DAY);
    const body = { status: 'COMPLETED', occurredAt: new Date(this.begunAt - daysAgo * DAY_MS).toISOString(), clientId };
    this.uncertainLogs.add(clientId);
    await this.caller.expect(201, `/v1/habits/${person.habit}/logs`, { body, headers });
    this.uncertainLogs.delete(clientId);
    this.logged.add(clientId);
  }

  async analyze(): Promise<void> {
    const headers = await this.bearer(this.next());
    this.uncertainAnalyses++;
    await this.caller.expect(200, '/v1/habits/analyze', { method: 'POST', headers });
    this.uncertainAnalyses--;
    this.analyses++;
  }

  async register(): Promise<Person> {
    const email = `${randomUUID()}@example.com`;
    const { text } = await this.caller.expect(201, '/v1/auth/register', { body: { email, password: PASSWORD } });
    const { user, accessToken } = JSON.parse(text) as { user: { id: string }; accessToken: string };
    return { id: user.id, email, token: accessToken, tokenAt: performance.now(), habit: '', logs: 0 };
  }

  private async upgrade(person: Person): Promise<void> {
    const sent = { body: { plan: 'premium_monthly' }, headers: await this.bearer(person) };
    const { text } = await this.caller.expect(201, '/v1/billing/checkout', sent);
    const { checkout_url: page } = JSON.parse(text) as { checkout_url: string };
    await fetch(page, { method: 'POST', body: new URLSearchParams({ card: 'good' }), redirect: 'manual' });
    this.subscribers.push(person);
  }

  private next(): Person {
    return this.people[this.turn++ % this.people.length]!;
  }

  private async signIn(person: Person): Promise<void> {
    const body = { email: person.email, password: PASSWORD };
    const { text } = await this.caller.expect(200, '/v1/auth/login', { body });
    person.token = (JSON.parse(text) as { accessToken: string }).accessToken;
    person.tokenAt = performance.now();
  }

  private async bearer(person: Person): Promise<Record<string, string>> {
    if (performance.now() - person.tokenAt > TOKEN_KEPT_MS) await this.signIn(person);
    return { authorization: `Bearer ${person.token}` };
  }
}
