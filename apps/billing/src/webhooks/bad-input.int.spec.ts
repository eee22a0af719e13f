import { randomInt } from 'node:crypto';
import type { Reply } from '@evenkeel/platform/testing/service';
import fc from 'fast-check';
import { auditBilling } from '../audited.fixture';
import { Billing } from '../billing.fixture';
import { badBodies, NOW } from './bad-bodies.fixture';
import { anEvent, SECRET, sendSigned, signed, subscriptionObject, WEBHOOK_SETTINGS } from './provider-events.fixture';

/** `WEBHOOK_SEED=… npx jest apps/billing/src/webhooks/bad-input` repeats a run. */
const SEED = Number(process.env['WEBHOOK_SEED']) || randomInt(2 ** 31);
const SIGNATURES = sized(500, 5_000);
const BODIES = sized(400, 2_000);
const AT_ONCE = 20;
const HANGS_FROM_MS = 5_000;

const billing = Billing.forSuite({
  ...WEBHOOK_SETTINGS,
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_API_BASE: 'http://127.0.0.1:9',
});

/** All of them, some at once; none waits for long. */
async function answers<Item>(items: readonly Item[], ask: (item: Item) => Promise<Reply>) {
  const found: { item: Item; reply: Reply }[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE) {
    const timed = async (item: Item) => {
      const asked = performance.now();
      const reply = await ask(item);
      expect(performance.now() - asked).toBeLessThan(HANGS_FROM_MS);
      return { item, reply };
    };
    found.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(timed))));
  }
  return found;
}

it(`signatures of seed ${SEED} that are none: 400, and nothing is stored`, async () => {
  const object = subscriptionObject({ id: 'sub_x', customer: 'cus_x' });
  const body = JSON.stringify(anEvent('customer.subscription.created', NOW, object));
  const good = signed(body, NOW);
  const [time, digest] = good.split(',') as [string, string];
  const hex = digest.slice(3);
  const far = fc.integer({ min: 301, max: 1_000_000 }).chain((seconds) => fc.constantFrom(seconds, -seconds));
  const otherTimes = ['', 'NaN', '1e9', '-1', '0x10', '1.5', '9'.repeat(30)].map((odd) => `t=${odd},${digest}`);
  const otherDigests = [hex.slice(1), `${hex}0`, hex.toUpperCase().replace(/[A-F]/, 'G'), ''];
  const headers = fc.oneof(
    fc.constantFrom<string | null>(null, '', time, digest, `${time},${good}`, `${good},${time}`, `${time},v0=${hex}`),
    fc.constantFrom(...otherTimes, ...otherDigests.map((odd) => `${time},v1=${odd}`)),
    far.map((seconds) => signed(body, new Date(NOW.getTime() + seconds * 1_000))),
    fc.string({ minLength: 8, maxLength: 40 }).map((other) => signed(body, NOW, `whsec_${other}`)),
    fc.string({ minLength: 1, maxLength: 30 }).map((more) => signed(body + more, NOW)),
    fc
      .integer({ min: 0, max: 63 })
      .map((at) => `${time},v1=${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}`),
    fc.integer({ min: 60, max: 180 }).map((count) => `${time}${`,v1=${'0'.repeat(64)}`.repeat(count)},${digest}`),
    fc.stringMatching(/^[ -~]{1,120}$/),
  );
  const list = fc.sample(headers, { seed: SEED, numRuns: SIGNATURES });
  const found = await answers(list, (signature) => sendSigned(billing, body, signature));
  const other = found.filter(({ reply }) => reply.status !== 400 || reply.body.error !== 'invalid_signature');
  expect(other.slice(0, 3)).toEqual([]);
  expect(await billing.database.dataSource.query('SELECT FROM provider_events')).toEqual([]);
  expect((await sendSigned(billing, body, good)).status).toBe(200);
});

it(`signed bodies of seed ${SEED}: 400, 413 or 200 with a reason, and nobody gets anything`, async () => {
  const victim = billing.person();
  const kinds = Object.entries(badBodies(victim.id));
  const any = fc.oneof(
    ...kinds.map(([name, { weight, bodies, ...expected }]) => ({
      weight,
      arbitrary: bodies.map((body) => ({ name, body, ...expected })),
    })),
  );
  // Known as a customer from the beginning: a refund names the customer alone.
  const of = { id: 'sub_first', customer: 'cus_victim', userId: victim.id };
  const known = subscriptionObject({ ...of, status: 'incomplete' });
  const first = JSON.stringify(anEvent('customer.subscription.created', NOW, known));
  expect((await sendSigned(billing, first, signed(first, NOW, SECRET))).status).toBe(200);
  const sent = fc.sample(any, { seed: SEED, numRuns: BODIES });
  expect(new Set(sent.map(({ name }) => name)).size).toBe(kinds.length);
  const found = await answers(sent, ({ body }) => sendSigned(billing, body, signed(body, NOW, SECRET)));
  // Of many for one customer some may not get their turn in time: the provider sends them again.
  for (const one of found.filter(({ reply }) => reply.status === 503)) {
    one.reply = await sendSigned(billing, one.item.body, signed(one.item.body, NOW, SECRET));
  }
  const wrong = found.filter(({ item: { status, says }, reply }) => {
    const said = reply.status === 200 ? reply.body['reason'] : reply.body.error;
    return reply.status !== status || !says.includes(said);
  });
  expect(wrong.map(({ item, reply }) => [item.name, item.body.slice(0, 2_000), reply.text]).slice(0, 3)).toEqual([]);

  const events = await billing.events(victim.id);
  const access = events.filter(({ type }) => type === 'subscription.changed').map(({ data }) => data['subscriptions']);
  const untils = (access as { accessUntil: string | null }[][]).flat().map(({ accessUntil: until }) => until ?? '');
  expect(untils).not.toEqual([]);
  expect(untils.filter((until) => until >= NOW.toISOString())).toEqual([]);
  const isMoney = (data: Record<string, unknown>) => String(data['adjustmentId']).startsWith('re_eur');
  expect(events.filter(({ type, data }) => type === 'invoice.paid' || isMoney(data))).toEqual([]);
  const { body: me } = await billing.ask('GET', '/v1/billing/me', { token: victim.token });
  expect([me['tier'], me['premium_until']]).toEqual(['FREE', null]);
  const owners = 'SELECT user_id::text AS id FROM customers UNION SELECT aggregate FROM outbox';
  expect(await billing.database.dataSource.query(owners)).toEqual([{ id: victim.id }]);
  expect(await auditBilling(billing.database.dataSource)).toEqual([]);
});
