import { poolOf } from '@evenkeel/platform/persistence';
import { eventually } from '@evenkeel/platform/testing';
import { DataSource } from 'typeorm';
import type { SignedPayment } from '../buyer.fixture';
import { startGateway, type Gateway, type PaidRequest, type Reply } from '../gateway.fixture';

// Attacks of section "What one caller may cost the others" of docs/protocol.md, no larger than it takes to fill the slots
// of a caller.

let gateway: Gateway;
beforeAll(async () => {
  // The machine may be busy. The tests count slots and measure no time.
  const settings = {
    FACILITATOR_VERIFY_TIMEOUT_MS: '20000',
    PAID_ANSWER_BUDGET_MS: '30000',
    TRUSTED_PROXY_HOPS: '1',
    PAID_CALLS_MAX: '128',
  };
  gateway = await startGateway({ settings });
  await eventually(() => openConnections(poolOf(gateway.app.get(DataSource))));
});
afterAll(() => gateway.close());
afterEach(() => gateway.facilitator.control({ mode: 'ok' }));

let host = 0;
const anAddress = () => `192.0.2.${(host += 1)}`;
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);
const payFrom = async (address: string) => gateway.pay(await gateway.aBuyer().sign(), from(address));
const statusesOf = (replies: Reply[]) => replies.map(({ status }) => status);
const times = (count: number, status: number) => Array<number>(count).fill(status);
const verifies = () => gateway.facilitator.ledger().calls.verify;

/** A request that opens a connection waits for that one, and for two seconds at most: a busy machine may take longer. */
const openConnections = (pool: ReturnType<typeof poolOf>) =>
  Promise.all(upTo(pool.options.max).map(() => pool.query('SELECT pg_sleep(0.1)')));

/** Sends payments at once whose verify is not answered before `release`. */
async function stuck(payments: SignedPayment[], addressOf: (index: number) => string) {
  const before = verifies();
  gateway.facilitator.control({ mode: 'hang', on: 'verify' });
  const replies = payments.map((payment, index) => gateway.pay(payment, from(addressOf(index))));
  const shed: Reply[] = [];
  for (const reply of replies) void reply.then((known) => shed.push(known));
  return {
    shed,
    /** Waits until so many are at the facilitator and the others are refused; later payments verify normally. */
    reach: async (count: number) => {
      await eventually(() => verifies() === before + count && shed.length === payments.length - count);
      gateway.facilitator.control({ mode: 'ok' });
    },
    release: async () => {
      gateway.facilitator.control({ action: 'down', ms: 50 });
      await Promise.all(replies);
      // The facilitator has failed so often that the circuit is open for a while.
      gateway.clock.advanceMs(61_000);
      await eventually(async () => (await payFrom(anAddress())).status === 200);
    },
  };
}
const signed = (count: number) => Promise.all(upTo(count).map(() => gateway.aBuyer().sign()));

it('20 payments with a slow verify from one address take no slots of others', async () => {
  const attacker = anAddress();
  const attack = await stuck(await signed(20), () => attacker);
  await attack.reach(8);
  for (const { status, body } of attack.shed) {
    expect([status, body.details]).toEqual([429, { scope: 'concurrency', charged: null, retry: 'retry_same' }]);
  }
  const good = anAddress();
  expect(statusesOf(await Promise.all(upTo(8).map(() => payFrom(good))))).toEqual(times(8, 200));
  await attack.release();
});

it('40 connections with a wrong value take no slot at all', async () => {
  const attacker = anAddress();
  // Each request has its own payment: copies of one would wait for each other.
  const cheap = await Promise.all(upTo(40).map(() => gateway.aBuyer().sign({ authorization: { value: '1' } })));
  const wrong = async (payment: SignedPayment): Promise<number[]> => {
    const seen: number[] = [];
    for (let round = 0; round < 3; round++) seen.push((await gateway.pay(payment, from(attacker))).status);
    return seen;
  };
  const attack = Promise.all(cheap.map(wrong));
  const good = anAddress();
  for (let round = 0; round < 5; round++) {
    expect(statusesOf(await Promise.all(upTo(8).map(() => payFrom(good))))).toEqual(times(8, 200));
  }
  // A busy database may leave one unread (502); none is refused for want of a slot.
  expect((await attack).flat().filter((status) => ![402, 502].includes(status))).toEqual([]);
}, 120_000);

it('a verify that outlives the time of its request keeps its slot', async () => {
  const settings = { FACILITATOR_VERIFY_TIMEOUT_MS: '20000', PAID_ANSWER_BUDGET_MS: '1000', TRUSTED_PROXY_HOPS: '1' };
  const hurried = await startGateway({ besides: gateway, settings });
  const attacker = from(anAddress());
  const pay = async (at: PaidRequest) => hurried.pay(await hurried.aBuyer().sign(), at);
  try {
    const before = verifies();
    gateway.facilitator.control({ mode: 'hang', on: 'verify' });
    const slow = await Promise.all(upTo(8).map(() => pay(attacker)));
    expect(statusesOf(slow)).toEqual(times(8, 502));
    expect(verifies()).toBe(before + 8);
    gateway.facilitator.control({ mode: 'ok' });
    const { status, body } = await pay(attacker);
    expect([status, body.details]).toEqual([429, { scope: 'concurrency', charged: null, retry: 'retry_same' }]);
    expect((await pay(from(anAddress()))).status).toBe(200);

    gateway.facilitator.control({ action: 'down', ms: 50 });
    await eventually(async () => (await pay(attacker)).status === 200);
  } finally {
    await hurried.close();
  }
});

it('a caller with a payment verified in the last minute may have 96 slots, after that minute 8 again', async () => {
  const payer = anAddress();
  expect((await payFrom(payer)).status).toBe(200);
  gateway.clock.advanceMs(59_999);
  const many = await stuck(await signed(98), () => payer);
  await many.reach(96);
  await many.release();
  const few = await stuck(await signed(12), () => payer);
  await few.reach(8);
  await few.release();
});

it('forged payments of twelve addresses with a slow verify keep nobody out who has paid, and others for half a second', async () => {
  const payer = anAddress();
  expect((await payFrom(payer)).status).toBe(200);
  const attack = await stuck(await signed(100), (index) => `198.51.100.${Math.floor(index / 8)}`);
  await attack.reach(96);
  expect((await payFrom(anAddress())).status).toBe(429);
  expect((await payFrom(payer)).status).toBe(200);

  gateway.clock.advanceMs(501);
  expect(statusesOf(await Promise.all(upTo(8).map(() => payFrom(anAddress()))))).toEqual(times(8, 200));
  // Who has left a slot does not get another one for it.
  expect((await payFrom('198.51.100.0')).status).toBe(429);
  await attack.release();
});

it('a payment that has left its slot and then verifies is paid and answered', async () => {
  gateway.facilitator.control({ mode: 'slow', on: 'verify', ms: 1_500, count: 1 });
  const before = verifies();
  const slow = payFrom(anAddress());
  await eventually(() => verifies() === before + 1);
  const attack = await stuck(await signed(95), (index) => `198.51.100.${100 + index}`);
  await attack.reach(95);
  gateway.clock.advanceMs(501);
  expect((await payFrom(anAddress())).status).toBe(200);
  expect((await slow).status).toBe(200);
  await attack.release();
});
