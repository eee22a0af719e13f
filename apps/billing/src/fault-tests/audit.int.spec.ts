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
const OF_ONE = { id: 'sub_1', customer: 'cus_1' };

let billing: Billing;
beforeAll(async () => {
  billing = await Billing.start(WEBHOOK_SETTINGS);
  const people = Array.from({ length: 5 }, () => randomUUID());
  for (const person of people) await billing.know(person);
  const [userId, other] = people as [string, string];
  const told = [
    anEvent('customer.subscription.created', NOON, subscriptionObject({ ...OF_ONE, userId })),
    anEvent('invoice.paid', NOON, invoiceObject({ id: 'in_1', customer: 'cus_1', subscription: 'sub_1' })),
    anEvent('customer.subscription.updated', '2026-01-31T12:00:09Z', {
      ...subscriptionObject(OF_ONE),
      cancel_at_period_end: true,
    }),
    anEvent(
      'customer.subscription.created',
      NOON,
      subscriptionObject({ id: 'sub_2', customer: 'cus_2', userId: other }),
    ),
    anEvent('customer.subscription.deleted', '2026-01-31T12:00:09Z', {
      ...subscriptionObject({ id: 'sub_2', customer: 'cus_2', status: 'canceled' }),
    }),
    ...['active', 'past_due', 'active'].map((status, place) => {
      const of = { id: `sub_${place + 3}`, customer: `cus_${place + 3}`, userId: people[place + 2]!, status };
      const over = place === 2 ? { cancel_at: Date.parse('2026-02-10T12:00:00Z') / 1_000 } : {};
      return anEvent('customer.subscription.created', NOON, subscriptionObject({ ...of, over }));
    }),
  ];
  for (const event of told) expect((await sendEvent(billing, event)).status).toBe(200);
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
  const ends = await billing.database.dataSource.query<{ until: Date | null }[]>(
    'SELECT access_until AS until FROM subscriptions ORDER BY subscription_id',
  );
  expect(ends.map(({ until }) => until?.toISOString().slice(0, 10))).toEqual([
    '2026-02-28',
    undefined,
    '2026-03-03',
    '2026-02-07',
    '2026-02-10',
  ]);
});

const NOT_FOLDED = 'P7: a subscription is not the fold of its events';
const WRONG_END = 'P7: access does not end when the row of its subscription says';
const NOT_TOLD = 'P7: what was last published of a user is not their access';
const OF_FIRST = `WHERE subscription_id = 'sub_1'`;

it.each([
  ['a lost event', `DELETE FROM provider_events WHERE type = 'invoice.paid'`, [NOT_FOLDED]],
  [
    'an event that counted twice',
    `UPDATE subscriptions SET folded_events = folded_events + 1 ${OF_FIRST}`,
    [NOT_FOLDED],
  ],
  [
    'an event in no subscription',
    `UPDATE provider_events SET subscription_id = 'sub_9' WHERE type = 'invoice.paid'`,
    [NOT_FOLDED, 'P7: an event is in no subscription'],
  ],
  [
    'an event that is neither applied nor refused',
    `UPDATE provider_events SET applied = false WHERE type = 'invoice.paid'`,
    ['P7: an event counts as applied and was refused, or neither'],
  ],
  [
    'a subscription of somebody else',
    `UPDATE customers SET user_id = gen_random_uuid() WHERE customer_id = 'cus_1'`,
    ['P7: a subscription is not that of the user of its customer'],
  ],
  [
    'access of an ended subscription',
    `UPDATE subscriptions SET access_until = now() WHERE subscription_id = 'sub_2'`,
    ['P7: a status without access gives some, or one with access none', WRONG_END, NOT_TOLD],
  ],
  ...[
    ['after a cancelled period', 1],
    ['of a renewal that never came, much too long', 3],
    ['longer than the grace of a failed payment', 4],
    ['after an end that was set by hand', 5],
  ].map(([what, id]) => [
    `access ${what}`,
    `UPDATE subscriptions SET access_until = access_until + interval '1 hour' WHERE subscription_id = 'sub_${id}'`,
    [WRONG_END, NOT_TOLD],
  ]),
  [
    'access by another grace than that of the row',
    `UPDATE subscriptions SET renewal_grace_hours = 96 WHERE subscription_id = 'sub_3'`,
    [WRONG_END],
  ],
  [
    'somebody who pays twice',
    `UPDATE subscriptions SET user_id = (SELECT user_id FROM subscriptions ${OF_FIRST}), status = 'ACTIVE',
       access_until = now() + interval '1 day'`,
    expect.arrayContaining(['P7: somebody pays for two subscriptions at once']),
  ],
  [
    'a grant that was not published',
    `INSERT INTO grants (id, user_id, note, granted_at)
     SELECT gen_random_uuid(), user_id, '', now() FROM customers WHERE customer_id = 'cus_2'`,
    [NOT_TOLD],
  ],
  [
    'a version that is missing',
    `UPDATE outbox SET payload = jsonb_set(payload, '{version}', '9')
     WHERE type = 'subscription.changed' AND payload->>'version' = '2'`,
    expect.arrayContaining(['P7: the versions of a user are not 1, 2, 3 …']),
  ],
  [
    'an invoice that was not published',
    `UPDATE outbox SET subject = 'in_2' WHERE type = 'invoice.paid'`,
    ['P7: a paid invoice is not published once'],
  ],
] as [string, string, string[]][])('shows %s', async (_, spoil, found) => {
  expect(await foundAfter(spoil)).toEqual(found);
});
