import { hourOf, readHealth } from './read-health';
import { Reporting } from '../reporting.fixture';
import { aPayment, publishedOf } from '../story.fixture';
import type { RevenueChangesView } from './read-changes';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const reporting = Reporting.forSuite();

const changes = (since = '') => reporting.answer<RevenueChangesView>(`changes${since && `?since=${since}`}`);

it('is all at first, and nothing until something is applied', async () => {
  const first = await changes();
  expect(first.changed).toEqual(['calls', 'subscriptions']);
  const { status, text, headers } = await reporting.read(`changes?since=${first.version}`);
  expect([status, text, headers.get('x-as-of')]).toEqual([204, '', reporting.clock.now().toISOString()]);
  expect(headers.get('x-lag-seconds')).toMatch(/^\d+(\.\d)?$/);

  await reporting.publish(...publishedOf([aPayment()]));
  const second = await changes(first.version);
  expect(second.changed).toEqual(['calls']);
  expect((await reporting.read(`changes?since=${second.version}`)).status).toBe(204);
});

it('is all in a new hour, and for a version that is not ours', async () => {
  const { version } = await changes();
  expect((await changes('yesterday')).changed).toEqual(['calls', 'subscriptions']);
  reporting.clock.advanceMs(3_600_000);
  expect((await changes(version)).changed).toEqual(['calls', 'subscriptions']);
});

describe('the health that comes with it', () => {
  beforeEach(() => reporting.forget());

  const ago = (hours: number, minutes = 0) =>
    new Date(reporting.clock.now().getTime() - hours * HOUR_MS - minutes * MINUTE_MS);
  const health = async () => (await changes()).health;

  it('is without a payment as empty as they are', async () => {
    expect(await health()).toEqual({
      settlement: { settled: 0, pending: 0, needs_reconciliation: 0, failed: 0 },
      oldest_waiting_at: null,
      last_payment_at: null,
      failed_last_24h: 0,
      past_due: 0,
      disputes: { open: 0, amount: { usd: 0, usd_exact: '0.000000' } },
      hours: [1, 0].map((hours) => ({
        since: hourOf(ago(hours)).toISOString(),
        paid_calls: 0,
        usual_paid_calls: null,
      })),
    });
  });

  it('counts what became of payments, and tells the oldest that waits and the last that came', async () => {
    const states = ['settled', 'settlement_pending', 'needs_reconciliation', 'settlement_failed'] as const;
    const payments = states.flatMap((state) => [
      aPayment({ states: [state], verifiedAt: ago(2) }),
      aPayment({ states: [state], verifiedAt: ago(30) }),
    ]);
    await reporting.publish(...publishedOf(payments));
    expect(await health()).toMatchObject({
      settlement: { settled: 2, pending: 2, needs_reconciliation: 2, failed: 2 },
      oldest_waiting_at: ago(30).toISOString(),
      last_payment_at: ago(2).toISOString(),
      failed_last_24h: 1,
    });
  });

  it('tells what is usual for this hour and the one before, once there are seven days', async () => {
    reporting.clock.advanceMs(30 * MINUTE_MS);
    const callsAt = (hoursAgo: number, count: number) =>
      Array.from({ length: count }, () => aPayment({ verifiedAt: ago(hoursAgo, 1), endsAfterMs: 1_000 }));
    const before = [5, 1, 4, 0, 3, 9].flatMap((count, day) => callsAt(24 * (day + 1), count));
    const anHourEarlier = [1, 1, 2, 2].flatMap((count, day) => callsAt(24 * (day + 1) + 1, count));
    await reporting.publish(...publishedOf([...callsAt(0, 2), ...callsAt(1, 1), ...before, ...anHourEarlier]));
    const figures = async () =>
      (await health()).hours.map(({ paid_calls, usual_paid_calls }) => [paid_calls, usual_paid_calls]);
    expect(await figures()).toEqual([
      [1, null],
      [2, null],
    ]);
    await reporting.publish(...publishedOf(callsAt(24 * 7, 1)));
    expect(await figures()).toEqual([
      [1, 1],
      [2, 3],
    ]);
  });

  it('compares with the same hour of UTC where summer time ended in between in the zone of the database', async () => {
    const now = new Date('2025-11-05T12:30:00.000Z');
    const sameHours = Array.from({ length: 8 }, (_, day) => new Date(now.getTime() - (day * 24 + 0.25) * HOUR_MS));
    await reporting.publish(
      ...publishedOf(sameHours.map((verifiedAt) => aPayment({ verifiedAt, endsAfterMs: 1_000 }))),
    );
    const { hours } = await reporting.database.dataSource.transaction(async (tx) => {
      await tx.query(`SET LOCAL timezone TO 'America/New_York'`);
      return readHealth(tx, now);
    });
    expect(hours[1]).toMatchObject({ paid_calls: 1, usual_paid_calls: 1 });
  });
});
