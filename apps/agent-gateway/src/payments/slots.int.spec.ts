import { poolOf } from '@evenkeel/platform/persistence';
import { eventually } from '@evenkeel/platform/testing';
import { DataSource } from 'typeorm';
import type { SignedPayment } from '../buyer.fixture';
import { aGateway, PATIENT, type Reply, startGateway, statusesOf, times, upTo } from '../gateway.fixture';

// Attacks of section "What one caller may cost the others" of docs/protocol.md, no larger than it takes to fill the slots
// of a caller.
const settings = { ...PATIENT, TRUSTED_PROXY_HOPS: '1', PAID_CALLS_MAX: '128' };
const gateway = aGateway({ settings });
beforeAll(async () => {
  // A request that opens a connection waits for that one, and for two seconds at most: a busy machine may take longer.
  const pool = poolOf(gateway.app.get(DataSource));
  await eventually(() => Promise.all(upTo(pool.options.max).map(() => pool.query('SELECT pg_sleep(0.1)'))));
});

let host = 0;
const anAddress = () => `192.0.2.${(host += 1)}`;
const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
const payFrom = async (address: string, by = gateway) => by.pay(await by.aBuyer().sign(), from(address));
const statusOf = async (reply: Promise<Reply>) => (await reply).status;
const eight = (pay: () => Promise<Reply>) => Promise.all(upTo(8).map(() => statusOf(pay())));
const eightFrom = (address: string) => eight(() => payFrom(address));
const verifies = () => gateway.facilitator.ledger().calls.verify;
const SHED = { scope: 'concurrency', charged: null, retry: 'retry_same' };

/** Sends payments whose verify is not answered, until so many are at the facilitator and the others are refused. */
async function stuck(count: number, addressOf: (index: number) => string, atFacilitator: number) {
  const payments = await Promise.all(upTo(count).map(() => gateway.aBuyer().sign()));
  const before = verifies();
  gateway.control({ mode: 'hang', on: 'verify' });
  const replies = payments.map((payment, index) => gateway.pay(payment, from(addressOf(index))));
  const shed: Reply[] = [];
  for (const reply of replies) void reply.then((known) => shed.push(known));
  await eventually(() => verifies() === before + atFacilitator && shed.length === count - atFacilitator);
  for (const { status, body } of shed) expect([status, body.details]).toEqual([429, SHED]);
  // Later payments verify normally.
  gateway.control({ mode: 'ok' });
  return async () => {
    gateway.control({ action: 'disconnect' });
    await Promise.all(replies);
    // The facilitator has failed so often that the circuit is open for a while.
    gateway.clock.advanceMs(61_000);
    await eventually(async () => (await payFrom(anAddress())).status === 200);
  };
}

it('40 connections with a wrong value take no slot at all', async () => {
  const attacker = anAddress();
  // Each request has its own payment: copies of one would wait for each other.
  const cheap = await Promise.all(upTo(40).map(() => gateway.aBuyer().sign({ authorization: { value: '1' } })));
  const wrong = (payment: SignedPayment) => statusesOf(3, () => gateway.pay(payment, from(attacker)));
  const attack = Promise.all(cheap.map(wrong));
  const good = anAddress();
  for (let round = 0; round < 5; round++) expect(await eightFrom(good)).toEqual(times(8, 200));
  // A busy database may leave one unread (502); none is refused for want of a slot.
  expect((await attack).flat().filter((status) => ![402, 502].includes(status))).toEqual([]);
}, 120_000);

it('a verify that outlives the time of its request keeps its slot', async () => {
  const hurried = await startGateway({ besides: gateway, settings: { ...settings, PAID_ANSWER_BUDGET_MS: '1000' } });
  const attacker = anAddress();
  const before = verifies();
  gateway.control({ mode: 'hang', on: 'verify' });
  expect(await eight(() => payFrom(attacker, hurried))).toEqual(times(8, 502));
  expect(verifies()).toBe(before + 8);
  gateway.control({ mode: 'ok' });
  const { status, body } = await payFrom(attacker, hurried);
  expect([status, body.details]).toEqual([429, SHED]);
  expect((await payFrom(anAddress(), hurried)).status).toBe(200);

  gateway.control({ action: 'disconnect' });
  await eventually(async () => (await payFrom(attacker, hurried)).status === 200);
  await hurried.close();
});

it('a caller with a payment verified in the last minute may have 96 slots, after that minute 8 again', async () => {
  const payer = anAddress();
  expect((await payFrom(payer)).status).toBe(200);
  gateway.clock.advanceMs(59_999);
  const releaseMany = await stuck(98, () => payer, 96);
  await releaseMany();
  const releaseFew = await stuck(12, () => payer, 8);
  expect(await eightFrom(anAddress())).toEqual(times(8, 200));
  await releaseFew();
});

it('forged payments of twelve addresses with a slow verify keep nobody out who has paid, and others for half a second', async () => {
  const payer = anAddress();
  expect((await payFrom(payer)).status).toBe(200);
  const release = await stuck(100, (index) => `198.51.100.${Math.floor(index / 8)}`, 96);
  expect((await payFrom(anAddress())).status).toBe(429);
  expect((await payFrom(payer)).status).toBe(200);

  gateway.clock.advanceMs(501);
  expect(await eight(() => payFrom(anAddress()))).toEqual(times(8, 200));
  // Who has left a slot does not get another one for it.
  expect((await payFrom('198.51.100.0')).status).toBe(429);
  await release();
});

it('a payment that has left its slot and then verifies is paid and answered', async () => {
  gateway.control({ mode: 'slow', on: 'verify', ms: 1_500, count: 1 });
  const before = verifies();
  const slow = payFrom(anAddress());
  await eventually(() => verifies() === before + 1);
  const release = await stuck(95, (index) => `198.51.100.${100 + index}`, 95);
  gateway.clock.advanceMs(501);
  expect((await payFrom(anAddress())).status).toBe(200);
  expect((await slow).status).toBe(200);
  await release();
});
