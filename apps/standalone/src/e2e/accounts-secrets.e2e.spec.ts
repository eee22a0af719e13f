import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountsConfig } from '@evenkeel/accounts';
import { newEs256Key, secretSettings } from '@evenkeel/platform/config';
import { CERTIFICATE, PRIVATE_KEY, type TestDatabase } from '@evenkeel/platform/testing';
import { freePort } from '@evenkeel/services/free-port';
import { startKafka, type RunningKafka } from '@evenkeel/services';
import { AccountsClient, accountsDatabase, accountsEnv } from './accounts-programs.fixture';
import { MailTokens } from './mail-tokens.fixture';
import { Program, stopPrograms } from './program.fixture';
import { leaksIn, rowsByTable } from './secret-search.fixture';

jest.setTimeout(240_000);

/** By the name of their setting, each in all its parts. */
const canaries = {
  DATABASE_URL: ['canary-option-J5yHr8', 'canary-db-Qm7tLw2x', 'canary-user-3fKz'],
  REDIS_URL: ['canary-redis-Xk4vBz9p'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['canary-traces-4Tn7Wq'],
  KAFKA_SASL_PASSWORD: ['canary-kafka-2Fd8Lm'],
  JWT_KEYS: [newEs256Key('a'), newEs256Key('b')].map((key) => key.slice(2)),
  REFRESH_TOKEN_KEYS: [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')],
  SMTP_URL: ['canary-sender-6Lm2', 'canary-smtp-8Vc3Jq'],
};

/** Data of a person: none of it is in a log, an event or a record of security. */
const PERSON = {
  email: 'canary.ana.5Gh@example.com',
  password: 'canary password 7Jk of Ana',
  displayName: 'Canary Ana 2Wq',
};
const CHANGED = { email: 'canary.new.8Rt@example.com', password: 'canary password 9Bn of Ana' };
const REFUSED = { email: 'refused.canary.4Pz@example.com', password: 'canary password 3Xv of nobody' };
const WRONG = ['canary wrong 1Df', 'canary wrong 6Ty'];
const WRITTEN = {
  name: 'canary habit 5Ui',
  description: 'canary text 9Lo',
  category: 'canary kind 3Sd',
  note: 'canary note 7Gf',
  tag: 'canary tag 2Mn',
  imported: 'canary import 8Yx',
  importedNote: 'canary import note 4Qw',
};
const texts = [
  ...Object.values(PERSON),
  ...Object.values(CHANGED),
  ...Object.values(REFUSED),
  ...WRONG,
  ...Object.values(WRITTEN),
];

/** Refresh, access and mail tokens, as they are given out. */
const tokens = new Set<string>();
const outputs: Program[] = [];
const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
let kafka: RunningKafka;
let mails: MailTokens;
let database: TestDatabase;
let env: Record<string, string>;
let client: AccountsClient;
let userId: string;

beforeAll(async () => {
  const [user = '', password = ''] = canaries.SMTP_URL;
  const login = { username: 'canary-reader-7Gb', password: canaries.KAFKA_SASL_PASSWORD[0]! };
  [mails, database, kafka] = await Promise.all([
    MailTokens.start({ user, password }),
    accountsDatabase(),
    startKafka({ secured: { keystore: PRIVATE_KEY + CERTIFICATE, login } }),
  ]);
  const created = Program.script('topics:create', { KAFKA_BROKERS: kafka.brokers });
  expect(await created.exit).toEqual({ code: 0, signal: null });
  writeFileSync(join(folder, 'authority.pem'), CERTIFICATE);
  const keys = (name: 'JWT_KEYS' | 'REFRESH_TOKEN_KEYS') => canaries[name].map((key, at) => `k${at}:${key}`).join();
  const settings: Record<keyof typeof canaries, string> = {
    DATABASE_URL: `${database.url}?application_name=${canaries.DATABASE_URL[0]}`,
    REDIS_URL: `redis://:${canaries.REDIS_URL[0]}@127.0.0.1:${await freePort()}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}/${canaries.OTEL_EXPORTER_OTLP_ENDPOINT[0]}`,
    KAFKA_SASL_PASSWORD: login.password,
    JWT_KEYS: keys('JWT_KEYS'),
    REFRESH_TOKEN_KEYS: keys('REFRESH_TOKEN_KEYS'),
    SMTP_URL: `smtp://${user}:${password}@${mails.host}`,
  };
  env = {
    ...accountsEnv(database),
    ...settings,
    KAFKA_BROKERS: kafka.securedBrokers!,
    KAFKA_TLS: 'on',
    KAFKA_CA_FILE: join(folder, 'authority.pem'),
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USERNAME: login.username,
  };
  const main = program('main');
  const [{ url }] = await Promise.all([main.ready(), program('worker').ready()]);
  client = new AccountsClient(url);
});
afterAll(async () => {
  await stopPrograms();
  await Promise.all([mails?.stop(), kafka?.stop(), database?.drop()]);
  rmSync(folder, { recursive: true });
});

/** Kept, to be searched at the end. */
function watched(started: Program): Program {
  outputs.push(started);
  return started;
}

function program(entry: string, over: Record<string, string> = {}): Program {
  return watched(Program.start(`apps/accounts/src/${entry}.ts`, { ...env, ...over }));
}

function leaks(text: string): string[] {
  const secrets = [...Object.values(canaries).flat(), new URL(database.url).password, ...texts, ...tokens];
  return leaksIn(text, secrets, '#token=');
}

afterEach(() => {
  for (const { output } of outputs) expect(leaks(output)).toEqual([]);
});

function keepTokens(body: Record<string, unknown>): void {
  for (const name of ['accessToken', 'refreshToken']) if (typeof body[name] === 'string') tokens.add(body[name]);
}

it('every setting with a secret has a canary', () => {
  expect(secretSettings(AccountsConfig).sort()).toEqual(Object.keys(canaries).sort());
});

it('somebody signs in, writes, errs and changes everything that they have', async () => {
  const expectStatus = async (status: number, ...[method, path, body]: Parameters<AccountsClient['send']>) => {
    // Answers are kept for requests that may come again.
    const reply = await client.send(method, path, body, { 'idempotency-key': randomUUID() });
    expect([method, path, reply.status]).toEqual([method, path, status]);
    keepTokens(reply.body);
    return reply.body;
  };
  const registered = await client.register(PERSON);
  keepTokens(registered.body);
  userId = (registered.body['user'] as { id: string }).id;
  await expectStatus(200, 'POST', 'auth/email/verify', { token: await mails.next('hrv_') });
  for (const password of WRONG) await expectStatus(401, 'POST', 'auth/login', { email: PERSON.email, password });
  await expectStatus(401, 'POST', 'auth/login', REFUSED);
  await expectStatus(409, 'POST', 'auth/register', PERSON);
  await expectStatus(400, 'POST', 'auth/register', { ...PERSON, timezone: PERSON.displayName });
  await expectStatus(400, 'POST', 'auth/login', { email: [PERSON.email], password: { [PERSON.password]: WRONG } });
  await expectStatus(200, 'POST', 'auth/refresh', { refreshToken: registered.body['refreshToken'] });

  const { name, description, category, note, tag, imported, importedNote } = WRITTEN;
  const habit = await expectStatus(201, 'POST', 'habits', { name, description, category });
  const log = { occurredAt: new Date().toISOString(), status: 'COMPLETED', note, contextTags: [tag] };
  await expectStatus(201, 'POST', `habits/${String(habit['id'])}/logs`, log);
  await expectStatus(400, 'POST', `habits/${String(habit['id'])}/logs`, { ...log, moodScore: note });
  const form = new FormData();
  form.append(
    'file',
    new Blob([`habit,date,value,note\n${imported},2026-01-05,1,${importedNote}\n${note},x,y\n`]),
    note,
  );
  await expectStatus(200, 'POST', 'habits/import', form);
  const broken = new FormData();
  broken.append('file', new Blob([`{"habits": ["${note}`]), note);
  await expectStatus(400, 'POST', 'habits/import', broken);
  for (const path of ['analyze', 'insights', 'recommend']) await expectStatus(200, 'POST', `habits/${path}`);
  await expectStatus(200, 'GET', 'account/export');

  await expectStatus(202, 'POST', 'auth/email/change', { email: CHANGED.email, password: PERSON.password });
  await expectStatus(200, 'POST', 'auth/email/verify', { token: await mails.next('hrv_', 1) });
  await expectStatus(202, 'POST', 'auth/password/forgot', { email: CHANGED.email });
  const reset = { token: await mails.next('hrp_'), password: CHANGED.password };
  await expectStatus(204, 'POST', 'auth/password/reset', reset);
  await expectStatus(400, 'POST', 'auth/password/reset', reset);
  const { accessToken } = await expectStatus(200, 'POST', 'auth/login', CHANGED);
  await new AccountsClient((await outputs[0]!.ready()).url).register(REFUSED);
  await outputs[1]!.prints(/a mail could not be sent/);
  client.token = accessToken as string;
  expect(outputs[0]!.output).toContain('/v1/auth/password/reset');
  for (const token of mails.tokens) tokens.add(token);
  expect(tokens.size).toBeGreaterThanOrEqual(8);
});

it('no token and no password is in any table, and no text of theirs in events, records of security and parked events', async () => {
  const tables = await rowsByTable(database);
  const passwords = [PERSON, CHANGED, REFUSED].map(({ password }) => password);
  for (const [table, rows] of tables) {
    const secrets = [...tokens, ...passwords, ...WRONG].filter((secret) => rows.includes(secret));
    expect({ table, secrets }).toEqual({ table, secrets: [] });
  }
  for (const table of ['outbox', 'security_events', 'parked', 'inbox', 'operator_actions']) {
    expect({ table, leaks: leaks(tables.get(table)!) }).toEqual({ table, leaks: [] });
  }
  // The search works.
  expect(
    [...tables].filter(([table, rows]) => table.startsWith('habit_logs') && rows.includes(WRITTEN.note)),
  ).toHaveLength(1);
  for (const text of [WRITTEN.note, WRITTEN.name]) expect(tables.get('idempotency_keys')).toContain(text);
  expect(tables.get('outbox')).toContain(userId);
});
