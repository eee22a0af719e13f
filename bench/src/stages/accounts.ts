import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { SystemClock } from '@evenkeel/kernel';
import { seedPeople, type SeededPerson } from '@evenkeel/ops/seed';
import { newEs256Key } from '@evenkeel/platform/config';
import { atRate, expectStatus, quantile, type Reply, requestBytes, runLoad } from '../load/load';
import { residentMb, type Running, Scene } from '../processes/scene';
import type { Figures } from '../report';

type Person = SeededPerson & { headers: Record<string, string> };

const PASSWORD = 'correct horse of the benchmark';
const LOGIN = '/v1/auth/login';
const HABITS = 25;
const IMPORTED = 45_000;
const PEOPLE = 20;
const PER_SECOND = 50;
const SECONDS = 24;
const WARM_UP_SECONDS = 4;
/** Hashing a password takes a thread of the process for a while; more wait at the same time than there are threads. */
const LOGINS = { connections: 8, seconds: 10 };

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
    return Promise.all(seeded.map(async (person) => ({ ...person, headers: await signIn(accounts, person) })));
  };
  const [importing] = await signedIn(1, 0);
  const imported = await importLogs(accounts, importing!);
  const people = await signedIn(PEOPLE, 365);
  const [veteran] = await signedIn(1, 1_826);
  return {
    'accounts, at rest: MB': restingMb,
    ...imported,
    ...(await mixed(accounts, people)),
    'accounts, analysis of 25 habits with five years: p99 ms': await analyses(accounts, veteran!),
    'accounts, logins a second': await loginsPerSecond(accounts, people),
  };
}

/** @returns what further requests of the person carry */
async function signIn({ url }: Running, { email }: SeededPerson): Promise<Person['headers']> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ email, password: PASSWORD });
  const response = await fetch(url + LOGIN, { method: 'POST', headers, body });
  const { accessToken } = (await response.json()) as { accessToken?: string };
  if (accessToken === undefined) throw new Error(`a login was answered with ${response.status}`);
  return { Authorization: `Bearer ${accessToken}` };
}

/** Profile, habit list and one log in turns, of one person after the other, 50 requests a second in all. */
async function mixed({ url }: Running, people: readonly Person[]): Promise<Figures> {
  const kinds: Record<string, (person: Person, day: number) => Buffer> = {
    profile: ({ headers }) => requestBytes('GET', '/v1/auth/me', headers),
    'habit list': ({ headers }) => requestBytes('GET', '/v1/habits', headers),
    'one log': ({ headers, habitId }, day) => {
      const log = { occurredAt: `${dayAt(day)}T08:00:00Z`, status: 'COMPLETED' };
      return requestBytes('POST', `/v1/habits/${habitId}/logs`, headers, log);
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
  const figures = names.map((name, kind) => {
    const own = times.filter((_, index) => index % names.length === kind);
    return [`accounts, ${name} at ${PER_SECOND} requests a second in all: p99 ms`, quantile(own, 0.99)];
  });
  return Object.fromEntries(figures) as Figures;
}

/** One after the other; the first fifty warm up. */
async function analyses({ url }: Running, { headers }: Person): Promise<number> {
  const request = requestBytes('POST', '/v1/habits/analyze', headers, {});
  const ask = (count: number) => {
    const left = Array<Buffer>(count).fill(request);
    return runLoad({ url, connections: 1, seconds: Infinity }, () => left.pop(), succeeded);
  };
  await ask(50);
  return (await ask(300)).p99Ms;
}

async function loginsPerSecond({ url }: Running, people: readonly Person[]): Promise<number> {
  const logins = people.map(({ email }) => requestBytes('POST', LOGIN, {}, { email, password: PASSWORD }));
  let index = 0;
  const next = () => logins[index++ % logins.length];
  return (await runLoad({ url, ...LOGINS }, next, expectStatus(200))).rate;
}

/** As CSV, by the form that people send. */
async function importLogs(accounts: Running, { headers }: Person): Promise<Figures> {
  const lines = Array.from({ length: IMPORTED }, (_, log) => `Import ${log % HABITS},${dayAt(log / HABITS)},1`);
  const body = new FormData();
  body.append('file', new Blob([`habit,date,value\n${lines.join('\n')}\n`]), 'habits.csv');
  let [mostMb, isDone] = [0, false];
  const watch = async (): Promise<void> => {
    for (; !isDone; await sleep(20)) mostMb = Math.max(mostMb, residentMb(accounts));
  };
  const startedMs = performance.now();
  const watching = watch();
  const sent = fetch(`${accounts.url}/v1/habits/import`, { method: 'POST', headers, body });
  const text = await sent.then((response) => response.text()).finally(() => (isDone = true));
  const seconds = (performance.now() - startedMs) / 1_000;
  await watching;
  const { logs } = JSON.parse(text) as { logs?: { created: number } };
  if (logs?.created !== IMPORTED) throw new Error(`the import was answered with ${text.slice(0, 300)}`);
  return { 'accounts, import of 45,000 logs: s': seconds, 'accounts, during an import: MB': mostMb };
}

function succeeded(reply: Reply): void {
  expectStatus(reply.status < 300 ? reply.status : 200)(reply);
}

/** One of a few thousand days: a habit has at most 50 logs on each. */
function dayAt(index: number): string {
  return new Date(Date.UTC(2001, 0, 1 + (Math.floor(index) % 8_000))).toISOString().slice(0, 10);
}
