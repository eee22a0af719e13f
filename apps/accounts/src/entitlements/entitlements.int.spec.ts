import { type EventEnvelope, type InProcessBroker, runRebuild } from '@evenkeel/platform/messaging';
import { randomUUID } from 'node:crypto';
import { workerReadiness } from '@evenkeel/platform/service';
import { eventually, scrape } from '@evenkeel/platform/testing';
import { Accounts, type Person } from '../accounts.fixture';
import { ACCOUNTS } from '../service';
import { ProjectEntitlements } from './project-entitlements.consumer';
import { anAccess, SubscriptionStream, type Access } from './subscription-stream.fixture';

const DONE = { withinMs: 20_000 };
const END = '2026-02-03T09:00:00.000Z';
const FREE = { tier: 'FREE', premiumUntil: null };

let accounts: Accounts;
let stream: SubscriptionStream;
beforeAll(async () => {
  accounts = await Accounts.start();
  stream = await SubscriptionStream.open(accounts.broker as InProcessBroker);
});
afterAll(async () => {
  await accounts.close();
  await stream.close();
});

async function profile(token: string): Promise<{ tier: unknown; premiumUntil: unknown }> {
  const { tier, premiumUntil } = (await accounts.ask('GET', '/v1/auth/me', { token })).body;
  return { tier, premiumUntil };
}

async function signedInAgain({ email, password }: Person): Promise<string> {
  const { body } = await accounts.ask('POST', '/v1/auth/login', { body: { email, password } });
  return body['accessToken'] as string;
}

const stored = (userId: string) =>
  accounts.database.dataSource.query<object[]>(
    `SELECT version, access_until::text AS until, ever_premium AS ever FROM entitlements WHERE user_id = $1`,
    [userId],
  );

it('an event makes somebody Premium at once, and the clock alone ends it', async () => {
  const person = await accounts.person();
  expect(await profile(person.token)).toEqual(FREE);

  await stream.publish(anAccess(person.id, 1, { subscriptions: [END, null], grants: ['2026-02-01T00:00:00+03:00'] }));
  // Promised is one second.
  await eventually(async () => expect(await profile(person.token)).toEqual({ tier: 'PREMIUM', premiumUntil: END }), {
    withinMs: 3_000,
  });

  const before = accounts.clock.now();
  try {
    accounts.clock.set(new Date(Date.parse(END) - 1));
    const token = await signedInAgain(person);
    expect(await profile(token)).toEqual({ tier: 'PREMIUM', premiumUntil: END });
    accounts.clock.set(new Date(END));
    expect(await profile(token)).toEqual(FREE);
  } finally {
    accounts.clock.set(before);
  }
});

it('a grant without an end has no end, and access that is taken back is gone', async () => {
  const { id, token } = await accounts.person();
  await stream.publish(anAccess(id, 1, { subscriptions: [END], grants: [null] }));
  await eventually(async () => expect(await profile(token)).toEqual({ tier: 'PREMIUM', premiumUntil: null }), DONE);
  await stream.publish(anAccess(id, 2, { subscriptions: [null] }));
  await eventually(async () => expect(await profile(token)).toEqual(FREE), DONE);
  expect(await stored(id)).toEqual([{ version: 2, until: null, ever: true }]);
});

it('an event about somebody who has left is not kept', async () => {
  const { id, token, password } = await accounts.person();
  expect((await accounts.ask('DELETE', '/v1/account', { token, body: { password } })).status).toBe(202);
  const other = await accounts.person();
  await stream.publish(anAccess(id, 1, { subscriptions: [END] }), anAccess(other.id, 1, { grants: [null] }));
  await eventually(async () => expect(await stored(other.id)).toHaveLength(1), DONE);
  expect(await stored(id)).toEqual([]);
});

it.each([
  ['one by one', [[0], [1], [2]]],
  ['backwards, together', [[2, 1, 0]]],
  ['late and again', [[2], [2, 1], [0]]],
  [
    'together and again',
    [
      [1, 0],
      [2, 2],
    ],
  ],
])('the greatest version is valid, and records that somebody ever had access: %s', async (_, deliveries) => {
  const consumer = new ProjectEntitlements();
  const { id: userId } = await accounts.person();
  const states: readonly Access[] = [{ subscriptions: [END] }, {}, { subscriptions: [null] }];
  for (const delivery of deliveries) {
    const events = delivery.map((index) => envelopeOf(anAccess(userId, index + 1, states[index])));
    await accounts.database.dataSource.transaction((tx) => consumer.handleAll(events, tx));
  }
  expect(await stored(userId)).toEqual([{ version: 3, until: null, ever: true }]);
});

it('npm run events:rebuild -- accounts ends with the same rows, and the worker reads on', async () => {
  const people = [await accounts.person(), await accounts.person()];
  const [first, second] = people as [Person, Person];
  await stream.publish(
    anAccess(first.id, 1, { subscriptions: [END] }),
    anAccess(second.id, 1, { grants: [null] }),
    anAccess(first.id, 2, {}),
  );
  const expected = [{ version: 2, until: null, ever: true }];
  await eventually(async () => expect(await stored(first.id)).toEqual(expected), DONE);
  // A row that is wrong, and one that is missing.
  await accounts.database.dataSource.query(
    `UPDATE entitlements SET access_until = 'infinity', version = 7 WHERE user_id = $1`,
    [first.id],
  );
  await accounts.database.dataSource.query('DELETE FROM entitlements WHERE user_id = $1', [second.id]);

  let out = '';
  const streams = { out: (text: string) => void (out += text), err: (text: string) => void (out += text) };
  const programs = [{ subscription: 'accounts', aggregates: 'users' }];
  expect([await runRebuild(programs, ['accounts'], { DATABASE_URL: accounts.database.url }, streams), out]).toEqual([
    0,
    expect.stringMatching(/Rebuilt from \d+ events\./),
  ]);
  expect(await stored(first.id)).toEqual(expected);
  expect(await stored(second.id)).toEqual([{ version: 1, until: 'infinity', ever: true }]);

  await stream.publish(anAccess(second.id, 2, { subscriptions: [END] }));
  await eventually(
    async () => expect(await profile(second.token)).toEqual({ tier: 'PREMIUM', premiumUntil: END }),
    DONE,
  );
});

it('the worker is ready while it reads, and its metrics say how far it is behind', async () => {
  expect(await workerReadiness(ACCOUNTS, accounts.app)()).toEqual({ database: true, events: true });
  const subscription = { subscription: 'accounts' };
  // An applied event is recorded as read a moment later.
  await eventually(async () => {
    const scraped = await scrape(accounts.running.internalUrl);
    expect(scraped.value('evenkeel_consumer_lag', subscription)).toBe(0);
    expect(scraped.value('evenkeel_parked_aggregates', subscription)).toBe(0);
  }, DONE);
});

function envelopeOf(data: object): EventEnvelope<unknown> {
  const place = { subject: 'user', key: 'user', sequence: 1, time: new Date('2026-01-31T00:00:00Z') };
  return { id: randomUUID(), type: 'subscription.changed', source: '/billing', ...place, data };
}
