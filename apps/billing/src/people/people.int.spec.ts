import { randomUUID } from 'node:crypto';
import { SessionRevoked, UsageMetered, UserDeleted, UserRegistered, UserVerified } from '@evenkeel/contracts';
import { type EventEnvelope, runRebuild } from '@evenkeel/platform/messaging';
import { workerReadiness } from '@evenkeel/platform/service';
import { eventually, scrape } from '@evenkeel/platform/testing';
import { Billing } from '../billing.fixture';
import { BILLING } from '../service';
import { ProjectPeople } from './people.consumer';

const DONE = { withinMs: 20_000 };
const NOON = '2026-01-31T12:00:00.000Z';

let billing: Billing;
beforeAll(async () => {
  billing = await Billing.start();
});
afterAll(() => billing.close());

const query = <Row>(sql: string, values?: unknown[]) => billing.database.dataSource.query<Row[]>(sql, values);
const day = (count: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + count * 86_400_000).toISOString();

interface Told {
  event: typeof UserRegistered | typeof UserVerified | typeof UserDeleted | typeof UsageMetered;
  data: { userId: string };
  at: string;
}
const registered = (userId: string, at: string): Told => ({
  event: UserRegistered,
  data: registration(userId, at),
  at,
});
const registration = (userId: string, registeredAt: string): UserRegistered => ({ userId, registeredAt });
function verified(userId: string, at: string): Told {
  const data: UserVerified = { userId, verifiedAt: at };
  return { event: UserVerified, data, at };
}
function deleted(userId: string, at: string): Told {
  const data: UserDeleted = { userId, receiptId: randomUUID(), deletedAt: at };
  return { event: UserDeleted, data, at };
}
function used(userId: string, at: string, count: number, period = '2026-01'): Told {
  const counted = { period, used: count, limit: 5, version: count, meteredAt: at };
  const data: UsageMetered = { userId, feature: 'analyses', ...counted };
  return { event: UsageMetered, data, at };
}

/** Everything that is known of some people. */
const rowsOf = async (userIds: readonly string[]) => ({
  people: await query(
    'SELECT user_id, verified_at, deleted_at, changed_at FROM people WHERE user_id = ANY ($1) ORDER BY 1',
    [userIds],
  ),
  usage: await query('SELECT * FROM usage_months WHERE user_id = ANY ($1) ORDER BY user_id, period', [userIds]),
  departures: await query('SELECT user_id, asked_at FROM departures WHERE user_id = ANY ($1) ORDER BY 1', [userIds]),
});

it.each([
  ['backwards', [[4], [3], [2], [1], [0]]],
  ['together, backwards', [[4, 3, 2, 1, 0]]],
  ['shuffled and again', [[4, 0], [4, 2], [3, 1], [2]]],
  [
    'again and again',
    [
      [1, 3, 0],
      [0, 2, 4],
      [3, 1],
    ],
  ],
])('events that come %s give the rows that they give in order', async (_, deliveries) => {
  const consumer = new ProjectPeople();
  const apply = async (order: readonly (readonly number[])[]) => {
    const id = randomUUID();
    const all = [
      ...[registered(id, day(1)), verified(id, day(2)), used(id, day(3), 1), used(id, day(4), 2)],
      deleted(id, day(5)),
    ];
    for (const delivery of order) {
      const envelopes = delivery.map((index) => envelopeOf(all[index]!.event.type, all[index]!.data, all[index]!.at));
      await billing.database.dataSource.transaction((tx) => consumer.handleAll(envelopes, tx));
    }
    return JSON.parse(JSON.stringify(await rowsOf([id])).replaceAll(id, 'the user')) as { people: object[] };
  };
  const inOrder = await apply([[0], [1], [2], [3], [4]]);
  expect(inOrder).toMatchObject({ people: [{ deleted_at: day(5) }], usage: [{ used: 2 }], departures: [{}] });
  expect(await apply(deliveries)).toEqual(inOrder);
});

describe('over the stream', () => {
  const publish = (...events: readonly Told[]) =>
    billing.accounts.publish(
      ...events.map(({ event, data, at }) => ({ event, key: data.userId, data, at: new Date(at) })),
    );

  it('npm run events:rebuild -- billing ends with the same rows, and nobody leaves twice', async () => {
    const [stays, left] = [randomUUID(), randomUUID()];
    const all = [stays, left];
    await publish(registered(stays, day(1)), registered(left, day(2)), verified(stays, day(3)), used(stays, day(4), 1));
    await publish(used(stays, day(5), 2), deleted(left, day(6)));
    await eventually(async () => expect((await rowsOf(all)).departures).toHaveLength(1), DONE);
    const doneAt = () => query<{ done_at: Date | null }>('SELECT done_at FROM departures WHERE user_id = $1', [left]);
    await eventually(async () => expect((await doneAt())[0]!.done_at).not.toBeNull(), DONE);
    const [before, done] = [await rowsOf(all), await doneAt()];

    // A row that is wrong, and one that is missing.
    await query('UPDATE people SET verified_at = NULL, deleted_at = $2 WHERE user_id = $1', [stays, NOON]);
    await query('DELETE FROM usage_months WHERE user_id = $1', [stays]);
    expect(await rebuild()).toEqual([0, expect.stringMatching(/Rebuilt from \d+ events\./)]);
    expect([await rowsOf(all), await doneAt()]).toEqual([before, done]);

    await publish(used(stays, day(7), 3));
    await eventually(
      async () => expect((await rowsOf([stays])).usage).toMatchObject([{ period: '2026-01', used: 3, version: 3 }]),
      DONE,
    );
  });

  async function rebuild(): Promise<[number, string]> {
    let out = '';
    const streams = { out: (text: string) => void (out += text), err: (text: string) => void (out += text) };
    const programs = [{ subscription: 'billing', aggregates: 'users' }];
    const code = await runRebuild(programs, ['billing'], { DATABASE_URL: billing.database.url }, streams);
    return [code, out];
  }

  it('a session that has ended is refused, and so is a person who has left', async () => {
    const { id: userId } = billing.person();
    const [ended, other] = [randomUUID(), randomUUID()];
    const me = async (sessionId: string) => {
      const { status, body } = await billing.ask('GET', '/v1/billing/me', {
        token: billing.tokens.token(userId, sessionId),
      });
      return [status, body.error];
    };
    expect(await me(ended)).toEqual([200, undefined]);
    const until = new Date(billing.clock.now().getTime() + 900_000).toISOString();
    const revoked: SessionRevoked = { userId, sessionIds: [ended], accessTokensUntil: until, revokedAt: NOON };
    await billing.accounts.publish({ event: SessionRevoked, key: userId, data: revoked, at: new Date(NOON) });
    await eventually(async () => expect(await me(ended)).toEqual([401, 'unauthorized']), DONE);
    expect(await me(other)).toEqual([200, undefined]);
    await publish(deleted(userId, NOON));
    await eventually(async () => expect(await me(other)).toEqual([401, 'unauthorized']), DONE);

    // Nothing is kept of a session whose last token has ended by itself.
    const kept = () => query('SELECT FROM revoked_sessions WHERE id = ANY ($1)', [[ended, userId]]);
    expect(await kept()).toHaveLength(2);
    const later = new Date(Date.parse(until) + 1);
    const next = { ...revoked, sessionIds: [other] };
    await billing.accounts.publish({ event: SessionRevoked, key: userId, data: next, at: later });
    await eventually(async () => expect(await kept()).toHaveLength(1), DONE);
  });

  it('the worker is ready while it reads, and its metrics say how far it is behind', async () => {
    expect(await workerReadiness(BILLING, billing.app)()).toEqual({ database: true, events: true });
    // An applied event is recorded as read a moment later.
    await eventually(async () => {
      const scraped = await scrape(billing.running.internalUrl);
      expect(scraped.value('evenkeel_consumer_lag', { subscription: 'billing' })).toBe(0);
      expect(scraped.value('evenkeel_parked_aggregates', { subscription: 'billing' })).toBe(0);
    }, DONE);
  });
});

function envelopeOf(type: string, data: object, time: string): EventEnvelope<unknown> {
  const place = { subject: 'user', key: 'user', sequence: 1, time: new Date(time) };
  return { id: randomUUID(), type, source: '/accounts', ...place, data };
}
