import { randomUUID } from 'node:crypto';
import { runRebuild } from '@evenkeel/ops/events';
import type { EventEnvelope, InProcessBroker } from '@evenkeel/platform/messaging';
import { workerReadiness } from '@evenkeel/platform/service';
import { eventually, scrape } from '@evenkeel/platform/testing';
import { Accounts } from '../accounts.fixture';
import { ACCOUNTS } from '../service';
import { ProjectEntitlements } from './project-entitlements.consumer';
import { anAccess, SubscriptionStream, type Access } from './subscription-stream.fixture';

const END = '2026-02-03T09:00:00.000Z';
const FREE = { tier: 'FREE', premiumUntil: null };

const accounts = Accounts.forSuite();
let stream: SubscriptionStream;
beforeAll(async () => {
  stream = await SubscriptionStream.open(accounts.broker as InProcessBroker);
});
afterAll(() => stream.close());

/** Until the profile has this tier. */
const becomes = (token: string, profile: typeof FREE | { tier: 'PREMIUM'; premiumUntil: string | null }) =>
  eventually(async () => expect((await accounts.ask('GET', '/v1/auth/me', { token })).body).toMatchObject(profile));
const ROW = 'SELECT version, access_until::text AS until, ever_premium AS ever FROM entitlements WHERE user_id = $1';
const stored = (userId: string) => accounts.sql(ROW, userId);

it('an event makes somebody Premium at once, and the clock alone ends it', async () => {
  const person = await accounts.person();
  await becomes(person.token, FREE);
  await stream.publish(anAccess(person.id, 1, { subscriptions: [END, null], grants: ['2026-02-01T00:00:00+03:00'] }));
  await becomes(person.token, { tier: 'PREMIUM', premiumUntil: END });
  const before = accounts.clock.now();
  accounts.clock.set(new Date(Date.parse(END) - 1));
  const { token } = await accounts.signIn(person);
  await becomes(token, { tier: 'PREMIUM', premiumUntil: END });
  accounts.clock.set(new Date(END));
  await becomes(token, FREE);
  accounts.clock.set(before);
});

it('a grant without an end has no end, and access that is taken back is gone', async () => {
  const { id, token } = await accounts.person();
  await stream.publish(anAccess(id, 1, { subscriptions: [END], grants: [null] }));
  await becomes(token, { tier: 'PREMIUM', premiumUntil: null });
  await stream.publish(anAccess(id, 2, { subscriptions: [null] }));
  await becomes(token, FREE);
  expect(await stored(id)).toEqual([{ version: 2, until: null, ever: true }]);
});

it('an event about somebody who has left is not kept', async () => {
  const [{ id, token }, other] = [await accounts.person(), await accounts.person()];
  expect((await accounts.ask('DELETE', '/v1/account', { token })).status).toBe(202);
  await stream.publish(anAccess(id, 1, { subscriptions: [END] }), anAccess(other.id, 1, { grants: [null] }));
  await eventually(async () => expect(await stored(other.id)).toHaveLength(1));
  expect(await stored(id)).toEqual([]);
});

it.each([
  ['one by one', [[0], [1], [2]]],
  ['backwards, together', [[2, 1, 0]]],
  ['late and again', [[2], [2, 1], [0, 2], [0]]],
])('the greatest version is valid, and records that somebody ever had access: %s', async (_, deliveries) => {
  const { id: userId } = await accounts.person();
  const states: readonly Access[] = [{ subscriptions: [END] }, {}, { subscriptions: [null] }];
  for (const delivery of deliveries) {
    const events = delivery.map((at) => ({ id: randomUUID(), data: anAccess(userId, at + 1, states[at]) }));
    await accounts.database.dataSource.transaction((tx) =>
      new ProjectEntitlements().handleAll(events as EventEnvelope<unknown>[], tx),
    );
  }
  expect(await stored(userId)).toEqual([{ version: 3, until: null, ever: true }]);
});

it('npm run events:rebuild -- accounts ends with the same rows, and the worker reads on', async () => {
  const [first, second] = [await accounts.person(), await accounts.person()];
  await stream.publish(
    anAccess(first.id, 1, { subscriptions: [END] }),
    anAccess(second.id, 1, { grants: [null] }),
    anAccess(first.id, 2, {}),
  );
  const expected = [{ version: 2, until: null, ever: true }];
  await eventually(async () => expect(await stored(first.id)).toEqual(expected));
  // A row that is wrong, and one that is missing.
  await accounts.sql(`UPDATE entitlements SET access_until = 'infinity', version = 7 WHERE user_id = $1`, first.id);
  await accounts.sql('DELETE FROM entitlements WHERE user_id = $1', second.id);
  let out = '';
  const write = (text: string) => void (out += text);
  const programs = [{ subscription: 'accounts', aggregates: 'users' }];
  const env = { DATABASE_URL: accounts.database.url };
  const code = await runRebuild(programs, ['accounts'], env, { out: write, err: write });
  expect([code, out]).toEqual([0, expect.stringMatching(/Rebuilt from \d+ events\./)]);
  expect(await stored(first.id)).toEqual(expected);
  expect(await stored(second.id)).toEqual([{ version: 1, until: 'infinity', ever: true }]);
  await stream.publish(anAccess(second.id, 2, { subscriptions: [END] }));
  await becomes(second.token, { tier: 'PREMIUM', premiumUntil: END });
});

it('the worker is ready while it reads, and its metrics say how far it is behind', async () => {
  expect(await workerReadiness(ACCOUNTS, accounts.app)()).toEqual({ database: true, events: true });
  // An applied event is recorded as read a moment later.
  await eventually(async () => {
    const scraped = await scrape(accounts.running.internalUrl);
    for (const name of ['evenkeel_consumer_lag', 'evenkeel_parked_aggregates'])
      expect(scraped.value(name, { subscription: 'accounts' })).toBe(0);
  });
});
