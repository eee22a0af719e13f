import { randomUUID } from 'node:crypto';
import { audit } from '@evenkeel/ops/audit';
import { Billing } from '../billing.fixture';
import {
  anEvent,
  invoiceObject,
  sendEvent,
  subscriptionObject,
  WEBHOOK_SETTINGS,
} from '../webhooks/provider-events.fixture';

const NOON = '2026-01-31T12:00:00Z';
const LATER = '2026-01-31T12:00:09Z';

let billing: Billing;
beforeAll(async () => {
  billing = await Billing.start(WEBHOOK_SETTINGS);
  const users = Array.from({ length: 5 }, () => randomUUID());
  for (const user of users) await billing.know(user);
  const of = (n: number) => ({ id: `sub_${n}`, customer: `cus_${n}`, userId: users[n - 1]! });
  const made = 'customer.subscription.created';
  const leaving = { over: { cancel_at_period_end: true } };
  const ending = { over: { cancel_at: Date.parse('2026-02-10T12:00:00Z') / 1_000 } };
  for (const event of [
    anEvent(made, NOON, subscriptionObject(of(1))),
    anEvent('invoice.paid', NOON, invoiceObject({ id: 'in_1', customer: 'cus_1', subscription: 'sub_1' })),
    anEvent('customer.subscription.updated', LATER, subscriptionObject({ ...of(1), ...leaving })),
    anEvent(made, NOON, subscriptionObject(of(2))),
    anEvent('customer.subscription.deleted', LATER, subscriptionObject({ ...of(2), status: 'canceled' })),
    anEvent(made, NOON, subscriptionObject(of(3))),
    anEvent(made, NOON, subscriptionObject({ ...of(4), status: 'past_due' })),
    anEvent(made, NOON, subscriptionObject({ ...of(5), ...ending })),
  ])
    expect((await sendEvent(billing, event)).status).toBe(200);
});
afterAll(() => billing.close());

/** The findings of the audit after a manual change. */
async function foundAfter(spoil: string): Promise<string[]> {
  const runner = billing.database.dataSource.createQueryRunner();
  await runner.startTransaction();
  try {
    await runner.query(spoil);
    return (await audit(runner.manager)).map(({ promise, what }) => `${promise}: ${what}`);
  } finally {
    await runner.rollbackTransaction();
    await runner.release();
  }
}

it('finds nothing in what events have made', async () => {
  expect(await audit(billing.database.dataSource)).toEqual([]);
  const ends = await billing.database.dataSource.query<{ day: string | null }[]>(
    `SELECT to_char(access_until, 'MM-DD') AS day FROM subscriptions ORDER BY subscription_id`,
  );
  expect(ends.map(({ day }) => day)).toEqual(['02-28', null, '03-03', '02-07', '02-10']);
});

const NOT_FOLDED = 'P7: a subscription is not the fold of its events';
const WRONG_END = 'P7: access does not end when the row of its subscription says';
const NOT_PUBLISHED = 'P7: what was last published of a user is not their access';
const INVOICE = `WHERE type = 'invoice.paid'`;
const updated = (id: number, change: string) =>
  `UPDATE subscriptions SET ${change} WHERE subscription_id = 'sub_${id}'`;
const anHourMore = (id: number) => updated(id, `access_until = access_until + interval '1 hour'`);

it.each<[string, string, string[]]>([
  ['a lost event', `DELETE FROM provider_events ${INVOICE}`, [NOT_FOLDED]],
  ['an event that was folded twice', updated(1, 'folded_events = folded_events + 1'), [NOT_FOLDED]],
  [
    'an event in no subscription',
    `UPDATE provider_events SET subscription_id = 'sub_9' ${INVOICE}`,
    [NOT_FOLDED, 'P7: an event is in no subscription'],
  ],
  [
    'an event that is neither applied nor refused',
    `UPDATE provider_events SET applied = false ${INVOICE}`,
    ['P7: an event counts as applied and was refused, or neither'],
  ],
  [
    'a subscription of somebody else',
    `UPDATE customers SET user_id = gen_random_uuid() WHERE customer_id = 'cus_1'`,
    ['P7: a subscription is not that of the user of its customer'],
  ],
  [
    'access of an ended subscription',
    updated(2, 'access_until = now()'),
    ['P7: a status without access gives some, or one with access none', WRONG_END, NOT_PUBLISHED],
  ],
  ['access after a cancelled period', anHourMore(1), [WRONG_END, NOT_PUBLISHED]],
  ['access of a renewal that never came, much too long', anHourMore(3), [WRONG_END, NOT_PUBLISHED]],
  ['access longer than the grace of a failed payment', anHourMore(4), [WRONG_END, NOT_PUBLISHED]],
  ['access after an end that was set by hand', anHourMore(5), [WRONG_END, NOT_PUBLISHED]],
  ['access by another grace than that of the row', updated(3, 'renewal_grace_hours = 96'), [WRONG_END]],
  [
    'somebody who pays twice',
    `UPDATE subscriptions SET status = 'ACTIVE', access_until = now() + interval '1 day',
       user_id = (SELECT user_id FROM subscriptions WHERE subscription_id = 'sub_1')`,
    ['P7: somebody pays for two subscriptions at once'],
  ],
  [
    'a grant that was not published',
    `INSERT INTO grants (id, user_id, note, granted_at)
     SELECT gen_random_uuid(), user_id, '', now() FROM customers WHERE customer_id = 'cus_2'`,
    [NOT_PUBLISHED],
  ],
  [
    'a version that is missing',
    `UPDATE outbox SET payload = jsonb_set(payload, '{version}', '9')
     WHERE type = 'subscription.changed' AND payload->>'version' = '2'`,
    ['P7: the versions of a user are not 1, 2, 3 …'],
  ],
  [
    'an invoice that was not published',
    `UPDATE outbox SET subject = 'in_2' ${INVOICE}`,
    ['P7: a paid invoice is not published once'],
  ],
])('shows %s', async (_, spoil, found) => {
  expect(await foundAfter(spoil)).toEqual(expect.arrayContaining(found));
});
