import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SystemClock } from '@evenkeel/kernel';
import { newEs256Key } from '@evenkeel/platform/config';
import { seedPeople, type SeededPerson } from '@evenkeel/ops/seed';
import type { Figures } from '../figures';
import { type Reply, requestBytes } from '../load/connection';
import { atRate, expectStatus, quantile, runLoad } from '../load/run-load';
import { residentMb, type Running, Scene } from '../processes/scene';

type Person = SeededPerson & { token: string };

const PASSWORD = 'correct horse of the benchmark';
const HABITS = 25;
const ONE_YEAR = 365;
const FIVE_YEARS = 1_826;
const IMPORTED = 45_000;
const PEOPLE = 20;
const PER_SECOND = 50;
const SECONDS = 24;
const WARM_UP_SECONDS = 4;
const ANALYSES = 300;
const WARM_UP_ANALYSES = 50;
/** Hashing a password takes a thread of the process for a while; more wait at the same time than there are threads. */
const LOGIN_CONNECTIONS = 8;
const LOGIN_SECONDS = 10;

const LOGIN = '/v1/auth/login';

/** Accounts as people use it; about two minutes. */
export async function benchAccounts(): Promise<Figures> {
  await using scene = new Scene();
  const databaseUrl = await scene.database('accounts');
  const env = {
    DATABASE_URL: databaseUrl,
    NODE_ENV: 'production',
    SMTP_URL: 'none',
    JWT_KEYS: newEs256Key('bench'),
    REFRESH_TOKEN_KEYS: `bench:${randomBytes(32).toString('base64')}`,
  };
  await scene.command('apps/accounts/src/migrate.ts', env);
  const accounts = await scene.startedAgain('apps/accounts/src/main.ts', env);
  const restingMb = residentMb(accounts);

  const signedIn = async (people: number, days: number): Promise<Person[]> => {
    const until = new SystemClock().now().toISOString().slice(0, 10);
    const seeded = await seedPeople(databaseUrl, { people, habits: HABITS, days, password: PASSWORD, seed: 1, until });
    return Promise.all(seeded.map(async (person) => ({ ...person, token: await tokenOf(accounts, person) })));
  };
  const [importing] = await signedIn(1, 0);
  const imported = await importLogs(accounts, importing!);
  const people = await signedIn(PEOPLE, ONE_YEAR);
  const [veteran] = await signedIn(1, FIVE_YEARS);
  return {
    'accounts, at rest: MB': restingMb,
    ...imported,
    ...(await mixed(accounts, people)),
    'accounts, analysis of 25 habits with five years: p99 ms': await analyses(accounts, veteran!),
    'accounts, logins a second': await loginsPerSecond(accounts, people),
  };
}

async function tokenOf({ url }: Running, { email }: SeededPerson): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ email, password: PASSWORD });
  const response = await fetch(url + LOGIN, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`a login was answered with ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { accessToken: string }).accessToken;
}

/** Profile, habit list and one log in turns, of one person after the other, 50 requests a second in all. */
async function mixed({ url }: Running, people: readonly Person[]): Promise<Figures> {
  const kinds: Record<string, (person: Person, day: number) => Buffer> = {
    profile: (person) => requestBytes('GET', '/v1/auth/me', bearer(person)),
    'habit list': (person) => requestBytes('GET', '/v1/habits', bearer(person)),
    'one log': (person, day) => {
      const log = { occurredAt: `${dayAt(day)}T08:00:00Z`, status: 'COMPLETED' };
      return requestBytes('POST', `/v1/habits/${person.habitId}/logs`, bearer(person), log);
    },
  };
  const names = Object.keys(kinds);
  const ask = (seconds: number, firstDay: number): Promise<number[]> =>
    atRate(
      { url, perSecond: PER_SECOND, count: PER_SECOND * seconds },
      (index) => kinds[names[index % names.length]!]!(people[index % people.length]!, firstDay + index),
      succeeded,
    );
  await ask(WARM_UP_SECONDS, 0);
  const times = await ask(SECONDS, PER_SECOND * WARM_UP_SECONDS);
  return Object.fromEntries(
    names.map((name, kind) => {
      const own = times.filter((_, index) => index % names.length === kind);
      return [`accounts, ${name} at ${PER_SECOND} requests a second in all: p99 ms`, quantile(own, 0.99)];
    }),
  );
}

/** One after the other. */
async function analyses({ url }: Running, person: Person): Promise<number> {
  const request = requestBytes('POST', '/v1/habits/analyze', bearer(person), {});
  const ask = (count: number) => {
    let left = count;
    const next = () => (left-- > 0 ? request : undefined);
    return runLoad({ url, connections: 1, seconds: Infinity }, next, succeeded);
  };
  await ask(WARM_UP_ANALYSES);
  return (await ask(ANALYSES)).p99Ms;
}

async function loginsPerSecond({ url }: Running, people: readonly Person[]): Promise<number> {
  const logins = people.map(({ email }) => requestBytes('POST', LOGIN, {}, { email, password: PASSWORD }));
  let index = 0;
  const next = () => logins[index++ % logins.length];
  return (await runLoad({ url, connections: LOGIN_CONNECTIONS, seconds: LOGIN_SECONDS }, next, expectStatus(200))).rate;
}

/** As CSV, by the form that people send. */
async function importLogs(accounts: Running, { token }: Person): Promise<Figures> {
  const lines = Array.from({ length: IMPORTED }, (_, log) => `Import ${log % HABITS},${dayAt(log / HABITS)},1`);
  const body = new FormData();
  body.append('file', new Blob([`habit,date,value\n${lines.join('\n')}\n`]), 'habits.csv');
  const startedMs = performance.now();
  let [mostMb, isDone] = [0, false];
  const watch = async (): Promise<void> => {
    for (; !isDone; await sleep(20)) mostMb = Math.max(mostMb, residentMb(accounts));
  };
  const watching = watch();
  const response = await fetch(`${accounts.url}/v1/habits/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body,
  }).finally(() => (isDone = true));
  const text = await response.text();
  const seconds = (performance.now() - startedMs) / 1_000;
  await watching;
  const created = response.ok ? (JSON.parse(text) as { logs: { created: number } }).logs.created : 0;
  if (created !== IMPORTED) throw new Error(`the import was answered with ${response.status}: ${text.slice(0, 300)}`);
  return { 'accounts, import of 45,000 logs: s': seconds, 'accounts, during an import: MB': mostMb };
}

function bearer({ token }: Person): object {
  return { Authorization: `Bearer ${token}` };
}

function succeeded(reply: Reply): void {
  expectStatus(reply.status < 300 ? reply.status : 200)(reply);
}

/** One of a few thousand days: a habit has at most 50 logs on each. */
function dayAt(index: number): string {
  return new Date(Date.UTC(2001, 0, 1 + (Math.floor(index) % 8_000))).toISOString().slice(0, 10);
}
