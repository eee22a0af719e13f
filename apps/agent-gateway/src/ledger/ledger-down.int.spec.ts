import { DatabaseLine, eventually } from '@evenkeel/platform/testing';
import { aGateway, type Reply } from '../gateway.fixture';

let line: DatabaseLine;
const first = aGateway();
const gateway = aGateway(async () => {
  line = await DatabaseLine.to(first.database.url);
  return { besides: first, settings: { DATABASE_URL: line.url, PAID_ANSWER_BUDGET_MS: '1000' } };
});
afterAll(() => line.cut());
beforeEach(() => gateway.clock.advanceMs(11_000)); // the circuit breaker forgets the test before
afterEach(() => gateway.expectAudited());

/** @returns what ends it */
type Outage = () => Promise<() => Promise<unknown>>;

const hang: Outage = async () => {
  line.hang();
  return () => line.mend();
};
const cut: Outage = async () => {
  line.cut();
  return () => line.mend();
};
const lockOutbox: Outage = () => gateway.ledger.lock('LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE');
const removeOutbox: Outage = async () => {
  await gateway.query('ALTER TABLE outbox RENAME TO outbox_gone');
  return () => gateway.query('ALTER TABLE outbox_gone RENAME TO outbox');
};

async function expectUnknown(paying: Promise<Reply>): Promise<void> {
  const { status, headers, body } = await paying;
  expect([status, body.error, headers.get('retry-after')]).toEqual([502, 'settlement_unknown', '5']);
  expect(body.details).toEqual({ charged: null, retry: 'retry_same' });
}

it.each<[string, Outage]>([
  ['answers nothing', hang],
  ['is gone', cut],
])('a ledger that %s at the claim and at look-ups before a refusal: 502, never "not charged"', async (_, begin) => {
  const buyer = gateway.aBuyer();
  const [claimed, refused, unverified] = [await buyer.sign(), await buyer.sign(), await buyer.sign()];
  const expired = await buyer.sign({ authorization: { validBefore: '1' } });
  const misdirected = await buyer.sign({ authorization: { to: '0x00000000000000000000000000000000000000A1' } });
  const end = await begin();
  const answers = [expired, misdirected].map((payment) => gateway.pay(payment));
  for (const [payment, mode] of [
    [refused, 'refused'],
    [unverified, '500'],
    [claimed, 'ok'],
  ] as const) {
    gateway.control({ mode, on: 'verify' });
    answers.push(gateway.pay(payment));
    await eventually(() => gateway.callsAbout(payment.nonce).verify === 1);
  }
  await Promise.all(answers.map(expectUnknown));
  expect(gateway.callsAbout(claimed.nonce).settle).toBe(0);
  await end();

  await eventually(async () => expect((await gateway.pay(expired)).body.error).toBe('authorization_expired'));
  expect((await gateway.pay(misdirected)).body.error).toBe('wrong_recipient');
  gateway.clock.advanceMs(15_000);
  await gateway.ledger.ageClaims(15_000); // the claim may have been written after all
  for (const payment of [claimed, refused, unverified]) {
    await eventually(async () => expect((await gateway.pay(payment)).status).toBe(200));
    expect(gateway.callsAbout(payment.nonce).settle).toBe(1);
  }
});

it.each<[string, Outage, string, string]>([
  ['cannot write', removeOutbox, 'ok', 'settled'],
  ['cannot write', removeOutbox, 'refused', 'settlement_failed'],
  ['cannot write', removeOutbox, 'reset', 'settlement_pending'],
  ['does not write', lockOutbox, 'ok', 'settled'],
  ['is gone', cut, 'ok', 'settled'],
])('a ledger that %s after settle was asked: 502, and the outcome is written when it can be', async (...row) => {
  const [, begin, mode, state] = row;
  const { nonce, header, authorization } = await gateway.aBuyer().sign();
  gateway.control(begin === cut ? { mode: 'slow', on: 'settle', ms: 500, count: 1 } : { mode, on: 'settle', count: 1 });
  let end = begin === cut ? undefined : await begin();
  const paying = expectUnknown(gateway.pay(header));
  if (begin === cut) await eventually(() => gateway.callsAbout(nonce).settle === 1);
  end ??= await begin();
  await paying;
  await end();
  await eventually(async () => expect(await gateway.ledger.entriesOf(nonce)).toMatchObject({ state }));
  // The repeat of the buyer is answered and charges once, or never.
  const charges = state === 'settlement_failed' ? 0 : 1;
  expect((await gateway.pay(header)).status).toBe(charges === 0 ? 402 : 200);
  expect(gateway.facilitator.ledger(nonce).settlements).toHaveLength(charges);
  const wallet = await gateway.ledger.wallet(authorization.from.toLowerCase());
  expect(wallet).toMatchObject({ settledMicros: charges * 50_000, calls: charges });
});
