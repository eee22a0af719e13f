import { eventually } from '@evenkeel/platform/testing';
import type { SignedPayment } from '../buyer.fixture';
import { aGateway, PATIENT, upTo } from '../gateway.fixture';
import { otherBody, settlementResponseIn } from './payment.fixture';

/** A request that comes after the first is answered is a repeat, and verifies by itself. */
const UNTIL_ALL_HAVE_COME_MS = 2_000;

const settings = { ...PATIENT, FACILITATOR_SETTLE_TIMEOUT_MS: '25000', PAID_CALLS_MAX: '64', TRUSTED_PROXY_HOPS: '1' };
const gateway = aGateway({ silentAtOnce: true, settings, audited: true });
const second = aGateway({ besides: gateway, settings });

const twenty = (pay: (index: number) => ReturnType<typeof gateway.pay>) => Promise.all(upTo(20).map(pay));

it('twenty identical requests at once: one verify, one settle, one row, twenty equal answers', async () => {
  gateway.control({ mode: 'slow', on: 'verify', ms: UNTIL_ALL_HAVE_COME_MS, count: 1 });
  const buyer = gateway.aBuyer();
  const payment = await buyer.sign();
  const answers = await twenty((index) => gateway.pay(index % 2 ? payment : payment.respelled()));
  const seen = answers.map(({ status, text, headers }) => [status, text, settlementResponseIn(headers)]);
  expect(new Set(seen.map((one) => JSON.stringify(one))).size).toBe(1);
  expect(answers[0]!.status).toBe(200);
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(19);
  expect(gateway.callsAbout(payment.nonce)).toEqual({ verify: 1, settle: 1, bodies: 1 });
  expect(await gateway.ledger.entriesOf(payment.nonce)).toMatchObject({ state: 'settled', calls: 1, answers: 1 });
  expect(await gateway.ledger.wallet(buyer.wallet)).toMatchObject({ settledMicros: 50_000, calls: 1, eventSeq: 1 });
});

it('one authorization for two requests at once at two replicas pays for one of them', async () => {
  const payment: SignedPayment = await gateway.aBuyer().sign();
  const answers = await twenty((index) =>
    (index % 4 < 2 ? gateway : second).pay(payment, index % 2 ? { body: otherBody } : {}),
  );
  const texts = answers.flatMap(({ status, text }) => (status === 200 ? [text] : []));
  expect([texts.length, new Set(texts).size]).toEqual([10, 1]);
  const errors = answers.flatMap(({ status, body }) => (status === 200 ? [] : [body.error]));
  expect(new Set(errors)).toEqual(new Set(['payment_already_used']));
  expect(gateway.callsAbout(payment.nonce).settle).toBe(1);
});

/** Each with its own address: one caller may not have so many payments in progress. */
const from = (host: number) => ({ headers: { 'x-forwarded-for': `198.51.100.${host}` } });

it('over PAID_CALLS_MAX in one process: 429, not charged; a copy waits for its first, whatever the bound', async () => {
  const before = { ...gateway.facilitator.ledger().calls };
  const payments = await Promise.all(upTo(64).map(() => gateway.aBuyer().sign()));
  const send = (payment: SignedPayment, index: number) => gateway.pay(payment, from(10 + Math.floor(index / 8)));
  gateway.control({ mode: 'hang', on: 'settle' });
  const verified = payments.slice(0, 16).map(send);
  await eventually(() => gateway.facilitator.ledger().calls.settle === before.settle + 16);
  gateway.control({ mode: 'hang', on: 'verify' });
  const running = [...verified, ...payments.slice(16).map((payment, index) => send(payment, index + 16))];
  await eventually(() => gateway.facilitator.ledger().calls.verify === before.verify + 64);

  const shed = await gateway.aBuyer().sign();
  const { status, headers, body } = await gateway.pay(shed, from(30));
  expect([status, body.error, headers.get('retry-after')]).toEqual([429, 'rate_limited', '1']);
  expect(body.details).toEqual({ scope: 'concurrency', charged: null, retry: 'retry_same' });
  expect([await gateway.ledger.entriesOf(shed.nonce), gateway.callsAbout(shed.nonce).verify]).toEqual([null, 0]);
  const copy = gateway.pay(payments[16]!, from(30));

  gateway.control({ mode: 'ok' });
  gateway.control({ action: 'disconnect' });
  const { [16]: first } = await Promise.all(running);
  expect((await copy).status).toBe(first?.status);
  gateway.clock.advanceMs(61_000); // both circuits let a probe through
  await eventually(async () => expect((await gateway.pay(shed)).status).toBe(200));
});
