import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { wrong, type Caller } from './caller';

const PASSWORD = 'a long walk by the sea';
const DAY_MS = 86_400_000;
/** Of a habit on one local day; the product takes 50. */
const LOGS_A_DAY = 40;
const UPGRADED_WITHIN_MS = 60_000;
const READS = ['/v1/auth/me', '/v1/habits'];
/** An access token is valid for 15 minutes. */
const TOKEN_KEPT_MS = 10 * 60_000;

const BUSY = new Set([429, 503]);
const BUSY_MS = 1_000;
const ATTEMPTS = 10;
/** Registers at a time: more would wait for each other's passwords. */
const AT_ONCE = 4;

interface Visitor {
  id: string;
  email: string;
  token: string;
  tokenAt: number;
}

interface Person extends Visitor {
  habit: string;
  logs: number;
}

/** People with a subscription: each log and analysis that was answered is counted. */
export class People {
  readonly logged = new Set<string>();
  /** Addresses of those whose registration was answered. */
  readonly registered: string[] = [];
  /** Logs that were sent, and answered with an error or not at all: they are stored or not. */
  readonly uncertainLogs = new Set<string>();
  analyses = 0;
  /** Of which it is not known whether they were counted. */
  uncertainAnalyses = 0;
  private readonly people: Person[] = [];
  private readonly visitors: Visitor[] = [];
  private readonly subscribers: Visitor[] = [];
  private turn = 0;
  private logins = 0;
  /** Days count back from here: while the traffic lasts, midnight may pass. */
  private readonly begunAt = Date.now();

  constructor(private readonly caller: Caller) {}

  /** Registers some, who upgrade on the hosted page of the development Stripe; and visitors, who only sign in. */
  async prepare(count: number, visitors = 1): Promise<void> {
    await several(visitors, async () => void this.visitors.push(await this.register()));
    await several(count, async () => void this.people.push(await this.join()));
    await this.expectPremium();
  }

  /** @throws Error when a plan that was bought gives no access within a minute */
  async expectPremium(): Promise<void> {
    // One after the other: hundreds who ask again and again would keep the product from what they wait for.
    for (const person of this.subscribers) await this.untilPremium(person);
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
    await this.signIn(this.visitors[this.logins++ % this.visitors.length]!);
  }

  async read(): Promise<void> {
    const person = await this.signedIn();
    await this.caller.expect(200, READS[this.turn % READS.length]!, { headers: bearer(person) });
  }

  async plan(): Promise<void> {
    await this.caller.expect(200, '/v1/billing/me', { headers: bearer(await this.signedIn()) });
  }

  /** Of a visitor, who does not pay. */
  async checkout(): Promise<void> {
    const [visitor] = this.visitors;
    if (performance.now() - visitor!.tokenAt > TOKEN_KEPT_MS) await this.signIn(visitor!);
    const body = { plan: 'premium_yearly' };
    await this.caller.expect(201, '/v1/billing/checkout', { method: 'POST', body, headers: bearer(visitor!) });
  }

  async log(): Promise<void> {
    const person = await this.signedIn();
    const clientId = randomUUID();
    const daysAgo = 1 + Math.floor(person.logs++ / LOGS_A_DAY);
    const body = { status: 'COMPLETED', occurredAt: new Date(this.begunAt - daysAgo * DAY_MS).toISOString(), clientId };
    const path = `/v1/habits/${person.habit}/logs`;
    this.uncertainLogs.add(clientId);
    await this.caller.expect(201, path, { method: 'POST', body, headers: bearer(person) });
    this.uncertainLogs.delete(clientId);
    this.logged.add(clientId);
  }

  async analyze(): Promise<void> {
    const person = await this.signedIn();
    this.uncertainAnalyses++;
    await this.caller.expect(200, '/v1/habits/analyze', { method: 'POST', headers: bearer(person) });
    this.uncertainAnalyses--;
    this.analyses++;
  }

  private next(): Person {
    return this.people[this.turn++ % this.people.length]!;
  }

  private async signedIn(): Promise<Person> {
    const person = this.next();
    if (performance.now() - person.tokenAt > TOKEN_KEPT_MS) await this.signIn(person);
    return person;
  }

  private async signIn(person: Visitor): Promise<void> {
    const body = { email: person.email, password: PASSWORD };
    const { text } = await this.caller.expect(200, '/v1/auth/login', { method: 'POST', body });
    person.token = (JSON.parse(text) as { accessToken: string }).accessToken;
    person.tokenAt = performance.now();
  }

  async register(): Promise<Visitor> {
    const email = `${randomUUID()}@example.com`;
    const registered = await this.caller.expect(201, '/v1/auth/register', {
      method: 'POST',
      body: { email, password: PASSWORD },
    });
    const { user, accessToken } = JSON.parse(registered.text) as { user: { id: string }; accessToken: string };
    this.registered.push(email);
    return { id: user.id, email, token: accessToken, tokenAt: performance.now() };
  }

  private async join(): Promise<Person> {
    const person: Person = { ...(await this.register()), habit: '', logs: 0 };
    const startDate = new Date(Date.now() - 365 * DAY_MS).toISOString();
    const made = await this.post(person, '/v1/habits', { name: 'Morning run', startDate });
    person.habit = (made as { id: string }).id;
    await this.upgrade(person);
    return person;
  }

  private async upgrade(visitor: Visitor): Promise<void> {
    const checkout = await this.post(visitor, '/v1/billing/checkout', { plan: 'premium_monthly' });
    const { checkout_url: page } = checkout as { checkout_url: string };
    await fetch(page, { method: 'POST', body: new URLSearchParams({ card: 'good' }), redirect: 'manual' });
    this.subscribers.push(visitor);
  }

  private async untilPremium(person: Visitor): Promise<void> {
    const deadline = performance.now() + UPGRADED_WITHIN_MS;
    for (;;) {
      const { text } = await this.caller.expect(200, '/v1/auth/me', { headers: bearer(person) });
      if ((JSON.parse(text) as { tier: string }).tier === 'PREMIUM') return;
      if (performance.now() > deadline)
        throw new Error(`An upgrade has not arrived within ${UPGRADED_WITHIN_MS / 1_000} s.`);
      await sleep(200);
    }
  }

  /** A service that is too busy says so: it is asked again, as it wishes. */
  private async post(person: Visitor, path: string, body: object): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      const reply = await this.caller.ask(path, { method: 'POST', body, headers: bearer(person) });
      if (reply.status === 201) return JSON.parse(reply.text) as unknown;
      if (!BUSY.has(reply.status) || attempt === ATTEMPTS) throw wrong(`POST ${path}`, 201, reply);
      await sleep(BUSY_MS);
    }
  }
}

async function several(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const workOn = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, workOn));
}

function bearer({ token }: Visitor): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
