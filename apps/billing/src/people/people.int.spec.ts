import { randomUUID } from 'node:crypto';
import { SessionRevoked, UsageMetered, UserDeleted, UserRegistered, UserVerified } from '@evenkeel/contracts';
import { runRebuild } from '@evenkeel/ops/events';
import { eventually } from '@evenkeel/platform/testing';
import { Billing } from '../billing.fixture';
import { ProjectPeople } from './people.consumer';

const DONE = { withinMs: 20_000 };
const NOON = '2026-01-31T12:00:00.000Z';

const billing = Billing.forSuite();

const query = <Row>(sql: string, values?: unknown[]) => billing.database.dataSource.query<Row[]>(sql, values);
const day = (count: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + count * 86_400_000).toISOString();

/** What accounts says of somebody, on the days 1 to 5. */
function storyOf(userId: string) {
  const used = (count: number) => ({ feature: 'analyses', period: '2026-01', used: count, limit: 5, version: count });
  return [
    { event: UserRegistered, data: { userId, registeredAt: day(1) } },
    { event: UserVerified, data: { userId, verifiedAt: day(2) } },
    { event: UsageMetered, data: { userId, ...used(1), meteredAt: day(3) } },
    { event: UsageMetered, data: { userId, ...used(2), meteredAt: day(4) } },
    { event: UserDeleted, data: { userId, receiptId: randomUUID(), deletedAt: day(5) } },
  ].map((told, index) => ({ ...told, key: userId, at: new Date(day(index + 1)) }));
}

/** Everything that is known of some people. */
async function rowsOf(...userIds: string[]) {
  const of = 'WHERE user_id = ANY ($1) ORDER BY user_id';
  return {
    people: await query(`SELECT user_id, verified_at, deleted_at, changed_at FROM people ${of}`, [userIds]),
    usage: await query(`SELECT * FROM usage_months ${of}, period`, [userIds]),
    departures: await query<{ done_at: Date | null }>(`SELECT user_id, asked_at, done_at FROM departures ${of}`, [
      userIds,
    ]),
  };
}

it.each([
  ['backwards', [[4], [3], [2], [1], [0]]],
  ['together, backwards', [[4, 3, 2, 1, 0]]],
  ['shuffled and again', [[4, 0], [4, 2], [3, 1], [2]]],
])('events that come %s give the rows that they give in order', async (_, deliveries) => {
  const consumer = new ProjectPeople();
  const apply = async (order: readonly (readonly number[])[]) => {
    const id = randomUUID();
    const envelopes = storyOf(id).map(({ event: { type }, data, at: time }) => {
      return { id: randomUUID(), type, source: '/accounts', subject: 'user', key: 'user', sequence: 1, time, data };
    });
    for (const delivery of order) {
      const events = delivery.map((index) => envelopes[index]!);
      await billing.database.dataSource.transaction((tx) => consumer.handleAll(events, tx));
    }
    const { people, usage, departures } = await rowsOf(id);
    const rows = { people, usage, departures: departures.length };
    return JSON.parse(JSON.stringify(rows).replaceAll(id, 'the user')) as typeof rows;
  };
  const inOrder = await apply([[0], [1], [2], [3], [4]]);
  expect(inOrder).toMatchObject({ people: [{ deleted_at: day(5) }], usage: [{ used: 2 }], departures: 1 });
  expect(await apply(deliveries)).toEqual(inOrder);
});

it('npm run events:rebuild -- billing ends with the same rows, and nobody leaves twice', async () => {
  const all = [randomUUID(), randomUUID()] as const;
  const [stays, left] = [storyOf(all[0]), storyOf(all[1])];
  const read = async () => (await rowsOf(...all)).departures[0]?.done_at;
  await billing.accounts.publish(...stays.slice(0, 3), left[0]!, left[4]!);
  await eventually(async () => expect(await read()).toBeInstanceOf(Date), DONE);
  const before = await rowsOf(...all);
  // A row that is wrong, and one that is missing.
  await query('UPDATE people SET verified_at = NULL, deleted_at = $2 WHERE user_id = $1', [all[0], NOON]);
  await query('DELETE FROM usage_months WHERE user_id = $1', [all[0]]);
  let said = '';
  const streams = { out: (text: string) => void (said += text), err: (text: string) => void (said += text) };
  const programs = [{ subscription: 'billing', aggregates: 'users' }];
  const code = await runRebuild(programs, ['billing'], { DATABASE_URL: billing.database.url }, streams);
  expect([code, said]).toEqual([0, expect.stringMatching(/Rebuilt from \d+ events\./)]);
  expect(await rowsOf(...all)).toEqual(before);
  await billing.accounts.publish(stays[3]!);
  await eventually(async () => expect((await rowsOf(all[0])).usage).toMatchObject([{ used: 2, version: 2 }]), DONE);
});

it('a session that has ended is refused, and so is a person who has left', async () => {
  const { id: userId } = billing.person();
  const [ended, other] = [randomUUID(), randomUUID()];
  const me = async (sessionId: string) =>
    (await billing.ask('GET', '/v1/billing/me', { token: billing.tokens.token(userId, sessionId) })).status;
  expect(await me(ended)).toBe(200);
  const until = new Date(billing.clock.now().getTime() + 900_000).toISOString();
  const revoke = (sessionId: string, at: Date) => {
    const data: SessionRevoked = { userId, sessionIds: [sessionId], accessTokensUntil: until, revokedAt: NOON };
    return billing.accounts.publish({ event: SessionRevoked, key: userId, data, at });
  };
  await revoke(ended, new Date(NOON));
  await eventually(async () => expect(await me(ended)).toBe(401), DONE);
  expect(await me(other)).toBe(200);
  const data: UserDeleted = { userId, receiptId: randomUUID(), deletedAt: NOON };
  await billing.accounts.publish({ event: UserDeleted, key: userId, data, at: new Date(NOON) });
  await eventually(async () => expect(await me(other)).toBe(401), DONE);
  // Nothing is kept of a session whose last token has ended by itself.
  const kept = () => query('SELECT FROM revoked_sessions WHERE id = ANY ($1)', [[ended, userId]]);
  expect(await kept()).toHaveLength(2);
  await revoke(other, new Date(Date.parse(until) + 1));
  await eventually(async () => expect(await kept()).toHaveLength(1), DONE);
});
