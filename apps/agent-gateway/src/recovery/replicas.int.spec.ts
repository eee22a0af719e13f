import { aGateway } from '../gateway.fixture';
import { AbandonedPayments } from '../ledger/abandoned-payments';
import { crashed, recoveryByHand } from './resolve-uncertain.fixture';

const gateway = aGateway({ silentAtOnce: true, modules: recoveryByHand });
const second = aGateway({ silentAtOnce: true, besides: gateway, modules: recoveryByHand });

async function search(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) await second.app.get(AbandonedPayments).takeOverNext();
}
const stateOf = async ({ nonce }: { nonce: string }) => (await gateway.ledger.entriesOf(nonce))!.state;

it('a replica looks back once a minute for claims that a slow clock has dated in the past', async () => {
  await search(2);
  const payment = await crashed(gateway, 60_000);
  await search(1);
  expect(await stateOf(payment)).toBe('settling');
  gateway.clock.advanceMs(60_000);
  await search(2);
  expect(await stateOf(payment)).toBe('settlement_pending');
});

it.each([-300_000, 300_000])('a claim by a clock %i ms off is taken over by the database time', async (offMs) => {
  const searchAll = async () => {
    gateway.clock.advanceMs(60_000);
    await search(3);
  };
  await searchAll();
  const payment = await crashed(gateway, 0, offMs);
  await searchAll();
  expect((await gateway.pay(payment)).status).toBe(429); // nor does its buyer's repeat
  expect(await stateOf(payment)).toBe('settling');
  await gateway.ledger.ageClaims(60_000);
  await searchAll();
  expect(await stateOf(payment)).toBe('settlement_pending');
});

it('a large table is searched stretch by stretch', async () => {
  await gateway.query(
    `INSERT INTO payments
     SELECT gen_random_uuid(), 1, '0x', '0x' || repeat('a', 40), '0x' || lpad(to_hex(n), 64, '0'), '/', 1, '', '',
       NULL, NULL, '', '', 1, true, 'settlement_failed', false, NULL, NULL, '', 0, at, at, NULL, at
     FROM (SELECT n, $1::timestamptz + n * interval '1 ms' AS at FROM generate_series(1, 12000) n) AS many`,
    [new Date(0)],
  );
  const payment = await crashed(gateway, 20_000);
  const abandoned = gateway.app.get(AbandonedPayments);
  expect([await abandoned.takeOverNext(), await stateOf(payment)]).toEqual([true, 'settling']);
  expect([await abandoned.takeOverNext(), await stateOf(payment)]).toEqual([false, 'settlement_pending']);
});
