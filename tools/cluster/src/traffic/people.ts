import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from './caller';

const PASSWORD = 'a long walk by the sea';
const DAY_MS = 86_400_000;
/** Of a habit on one local day; the product takes 50. */
const LOGS_A_DAY = 40;
const UPGRADED_WITHIN_MS = 60_000;
const READS = ['/v1/auth/me', '/v1/habits', '/v1/billing/me'];
/** An access token counts for 15 minutes. */
const TOKEN_KEPT_MS = 10 * 60_000;

interface Person {
  id: string;
  email: string;
  habit: string;
  token: string;
  tokenAt: number;
  logs: number;
}

/** People with a subscription: each log and analysis that was answered is counted. */
export class People {
  readonly logged = new Set<string>();
  analyses = 0;
  private readonly people: Person[] = [];
  private visitor?: Person;
  private turn = 0;

  constructor(private readonly caller: Caller) {}

  /** Registers some, who upgrade on the hosted page of the development Stripe. */
  async prepare(count: number): Promise<void> {
    this.visitor = await this.join();
    for (let number = 0; number < count; number++) this.people.push(await this.join());
    await Promise.all(this.people.map((person) => this.untilPremium(person)));
  }

  get ids(): string[] {
    return this.people.map(({ id }) => id);
  }

  /** Of somebody who does nothing else: the oldest of twenty sessions ends. */
  async login(): Promise<void> {
    await this.signIn(this.visitor!);
  }

  async read(): Promise<void> {
    const person = await this.signedIn();
    await this.caller.expect(200, READS[this.turn % READS.length]!, { headers: bearer(person) });
  }

  async log(): Promise<void> {
    const person = await this.signedIn();
    const clientId = randomUUID();
    const daysAgo = 1 + Math.floor(person.logs++ / LOGS_A_DAY);
    const body = { status: 'COMPLETED', occurredAt: new Date(Date.now() - daysAgo * DAY_MS).toISOString(), clientId };
    const path = `/v1/habits/${person.habit}/logs`;
    await this.caller.expect(201, path, { method: 'POST', body, headers: bearer(person) });
    this.logged.add(clientId);
  }

  async analyze(): Promise<void> {
    const person = await this.signedIn();
    await this.caller.expect(200, '/v1/habits/analyze', { method: 'POST', headers: bearer(person) });
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

  private async signIn(person: Person): Promise<void> {
    const body = { email: person.email, password: PASSWORD };
    const { text } = await this.caller.expect(200, '/v1/auth/login', { method: 'POST', body });
    person.token = (JSON.parse(text) as { accessToken: string }).accessToken;
    person.tokenAt = performance.now();
  }

  private async join(): Promise<Person> {
    const email = `${randomUUID()}@example.com`;
    const registered = await this.caller.expect(201, '/v1/auth/register', {
      method: 'POST',
      body: { email, password: PASSWORD },
    });
    const { user, accessToken } = JSON.parse(registered.text) as { user: { id: string }; accessToken: string };
    const person: Person = { id: user.id, email, habit: '', token: accessToken, tokenAt: performance.now(), logs: 0 };
    const startDate = new Date(Date.now() - 365 * DAY_MS).toISOString();
    const made = await this.post(person, '/v1/habits', { name: 'Morning run', startDate });
    person.habit = (made as { id: string }).id;
    const { checkout_url: page } = (await this.post(person, '/v1/billing/checkout', { plan: 'premium_monthly' })) as {
      checkout_url: string;
    };
    await fetch(page, { method: 'POST', body: new URLSearchParams({ card: 'good' }), redirect: 'manual' });
    return person;
  }

  private async untilPremium(person: Person): Promise<void> {
    const deadline = performance.now() + UPGRADED_WITHIN_MS;
    for (;;) {
      const { text } = await this.caller.expect(200, '/v1/auth/me', { headers: bearer(person) });
      if ((JSON.parse(text) as { tier: string }).tier === 'PREMIUM') return;
      if (performance.now() > deadline)
        throw new Error(`An upgrade has not arrived within ${UPGRADED_WITHIN_MS / 1_000} s.`);
      await sleep(200);
    }
  }

  private async post(person: Person, path: string, body: object): Promise<unknown> {
    const { text } = await this.caller.expect(201, path, { method: 'POST', body, headers: bearer(person) });
    return JSON.parse(text) as unknown;
  }
}

function bearer({ token }: Person): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}
