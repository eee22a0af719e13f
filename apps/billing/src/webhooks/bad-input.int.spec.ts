import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { Billing } from '../billing.fixture';
import {
  anEvent,
  invoiceObject,
  SECRET,
  sendSigned,
  sessionObject,
  signed,
  subscriptionObject,
  WEBHOOK_SETTINGS,
} from './provider-events.fixture';
import { HANDLED_TYPES } from './read-event';

/** `WEBHOOK_SEED=… npx jest apps/billing/src/webhooks/bad-input` repeats a run. */
const SEED = Number(process.env['WEBHOOK_SEED']) || randomInt(2 ** 31);
const SIGNATURES = sized(500, 5_000);
const BODIES = sized(400, 2_000);
const AT_ONCE = 20;
const NOW = new Date('2026-01-31T12:00:00Z');

let billing: Billing;
beforeAll(async () => {
  billing = await Billing.start({
    ...WEBHOOK_SETTINGS,
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_API_BASE: 'http://127.0.0.1:9',
  });
});
afterAll(() => billing.close());

/** All of them, some at once. */
async function answers<Item>(items: readonly Item[], ask: (item: Item) => Promise<{ status: number; text: string }>) {
  const found: { item: Item; status: number; text: string }[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const slice = items.slice(at, at + AT_ONCE);
    found.push(...(await Promise.all(slice.map(async (item) => ({ item, ...(await ask(item)) })))));
  }
  return found;
}
const stored = async () =>
  (
    await billing.database.dataSource.query<[{ count: number }]>(
      'SELECT count(*)::integer AS count FROM provider_events',
    )
  )[0].count;

it(`signatures of seed ${SEED} that are none: 400, and nothing is stored`, async () => {
  const body = JSON.stringify(
    anEvent('customer.subscription.created', NOW, subscriptionObject({ id: 'sub_x', customer: 'cus_x' })),
  );
  const good = signed(body, NOW);
  const [time, digest] = good.split(',') as [string, string];
  const hex = digest.slice(3);
  const offset = fc.integer({ min: 301, max: 1_000_000 });
  const headers = fc.oneof(
    fc.constantFrom<string | null>(
      null,
      '',
      time,
      digest,
      `${time},${good}`,
      `${good},${time}`,
      `${time},v0=${hex}`,
      `t=,${digest}`,
    ),
    offset.map((seconds) => signed(body, new Date(NOW.getTime() + seconds * 1_000))),
    offset.map((seconds) => signed(body, new Date(NOW.getTime() - seconds * 1_000))),
    fc.string({ minLength: 8, maxLength: 40 }).map((other) => signed(body, NOW, `whsec_${other}`)),
    fc
      .uint8Array({ minLength: 1, maxLength: 30 })
      .map((bytes) => signed(Buffer.concat([Buffer.from(body), bytes]), NOW)),
    fc
      .integer({ min: 0, max: 63 })
      .map((at) => `${time},v1=${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}`),
    fc.constantFrom('NaN', '1e9', '-1', '0x10', '1.5', '9'.repeat(30)).map((odd) => `t=${odd},${digest}`),
    fc.integer({ min: 60, max: 180 }).map((count) => `${time}${`,v1=${'0'.repeat(64)}`.repeat(count)},${digest}`),
    fc.stringMatching(/^[ -~]{1,120}$/),
    fc
      .constantFrom(hex.slice(1), `${hex}0`, hex.toUpperCase().replace(/[A-F]/, 'G'), '')
      .map((odd) => `${time},v1=${odd}`),
  );
  const list = fc.sample(headers, { seed: SEED, numRuns: SIGNATURES });
  const found = await answers(list, (signature) => sendSigned(billing, body, signature));
  expect(found.filter(({ status, text }) => status !== 400 || !text.includes('invalid_signature')).slice(0, 3)).toEqual(
    [],
  );
  expect(await stored()).toBe(0);
  expect((await sendSigned(billing, body, good)).status).toBe(200);
});

const ODD: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    -1,
    0,
    1.5,
    2 ** 53,
    1e300,
    -1e300,
    '',
    ' ',
    'a\0b',
    '\ud800',
    'x'.repeat(600),
    [],
    {},
    [null],
  ),
  fc.constantFrom<unknown>(
    'eur',
    'canceled',
    'unknown_status',
    '__proto__',
    253_402_300_800,
    { id: 1 },
    { data: {} },
    { data: [null] },
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** The value with one member, somewhere in it, replaced or taken away. */
function spoiled(value: unknown): fc.Arbitrary<unknown> {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) return ODD;
  const names = Object.keys(value);
  return fc.tuple(fc.constantFrom(...names), fc.integer({ min: 0, max: 9 })).chain(([name, way]) => {
    const inner = (value as Record<string, unknown>)[name];
    const put = (changed: unknown): unknown =>
      Array.isArray(value) ? value.with(Number(name), changed) : { ...value, [name]: changed };
    if (way === 0) return fc.constant(put(undefined));
    return way < 4 ? ODD.map(put) : spoiled(inner).map(put);
  });
}

it(`signed bodies of seed ${SEED}: 200 with a reason or 400, and nobody has got anything`, async () => {
  const victim = billing.person().id;
  const nobody = billing.person().id;
  const of = { id: 'sub_y', customer: 'cus_y', userId: nobody };
  const objects = (index: number) => [
    subscriptionObject({ ...of, id: `sub_y${index}` }, index % 2 === 0 ? 'new' : 'old'),
    invoiceObject({ ...of, id: `in_y${index}`, subscription: `sub_y${index}` }, index % 2 === 0 ? 'new' : 'old'),
    sessionObject({ id: `cs_${index}`, customer: of.customer, subscription: `sub_y${index}`, userId: nobody }),
    { id: `re_${index}`, charge: `ch_${index}`, amount: 100, currency: 'eur', status: 'succeeded', created: 1 },
    { id: `dp_${index}`, charge: `ch_${index}`, amount: 100, currency: 'usd', status: 'won', created: -1 },
  ];
  const eventful = fc
    .tuple(fc.constantFrom(...HANDLED_TYPES, 'unknown.type'), fc.nat(500), fc.nat(4))
    .chain(([type, index, which]) => {
      const event = anEvent(type, NOW, objects(index)[which]!, {
        livemode: index % 7 === 0,
        ...(index % 5 === 0 && { account: 'acct_1' }),
      });
      return spoiled(event).map((value) => JSON.stringify(value) ?? '');
    });
  const noJson = fc.oneof(
    fc.constantFrom(
      '',
      '{',
      'null',
      '[]',
      '"text"',
      '\ufeff{}',
      '{"a":1,}',
      '[{}]',
      '{"type":"invoice.paid"}',
      '{}',
      '7',
    ),
    fc.integer({ min: 10, max: 200_000 }).map((depth) => `{"data":${'['.repeat(depth)}${']'.repeat(depth)}}`),
    fc.string({ maxLength: 100 }),
  );
  const list = fc.sample(fc.oneof({ arbitrary: eventful, weight: 6 }, noJson), { seed: SEED, numRuns: BODIES });
  const found = await answers(list, (body) => sendSigned(billing, body, signed(body, NOW, SECRET)));
  expect(found.filter(({ status }) => status !== 200 && status !== 400).slice(0, 3)).toEqual([]);
  expect(await billing.events(victim)).toEqual([]);
  const owners = await billing.database.dataSource.query('SELECT DISTINCT user_id FROM customers WHERE user_id <> $1', [
    nobody,
  ]);
  expect(owners).toEqual([]);
});

it('nothing of a payload stays but facts', async () => {
  const rows = await billing.database.dataSource.query<object[]>(`
    SELECT fact::text AS kept FROM provider_events WHERE fact IS NOT NULL
    UNION ALL SELECT payload::text FROM outbox UNION ALL SELECT state::text FROM subscriptions`);
  expect(rows.length).toBeGreaterThan(0);
  expect(JSON.stringify(rows)).not.toMatch(/trace|whsec_|v1=/i);
});
