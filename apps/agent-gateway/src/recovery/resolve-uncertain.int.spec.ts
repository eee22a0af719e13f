import { inspect } from 'node:util';
import type { ModeCommand } from '@evenkeel/facilitator';
import { freePort } from '@evenkeel/services/free-port';
import type { Buyer } from '../buyer.fixture';
import { StubFacilitator } from '../facilitator/stub-facilitator.fixture';
import { aGateway, type Gateway, startGateway } from '../gateway.fixture';
import { settlementResponseIn } from '../payments/payment.fixture';
import { Chain } from './chain';
import { checkAfter, checkDue, CONFIRMED_MS, recoveryByHand, untilPayment } from './resolve-uncertain.fixture';

const HASH = expect.stringMatching(/^0x[0-9a-f]{64}$/);
const elsewhere = '0x00000000000000000000000000000000000000A1';
const VALID_MS = 300_000;
const EXPIRED_FOR_GOOD_MS = VALID_MS + 600_000;
const DAY_MS = 24 * 3_600_000;

/** One ledger and one facilitator, with access to the chain and without. */
const chain = aGateway({ silentAtOnce: true, chain: true, modules: recoveryByHand, audited: true });
const blind = aGateway({ silentAtOnce: true, besides: chain, modules: recoveryByHand });
beforeEach(() => chain.clock.advanceMs(11_000)); // the circuit breaker forgets the test before

type Mode = Partial<ModeCommand> & { mode: string };
const SERVED: Mode = { mode: 'reset', on: 'settle' };
const NOT_SERVED: Mode = { mode: 'refused', reason: 'unexpected_error' };

async function payWith(gateway: Gateway, mode: Mode, buyer: Buyer = gateway.aBuyer()) {
  const payment = await buyer.sign();
  gateway.control({ count: 1, ...mode });
  const { status } = await gateway.pay(payment);
  return { buyer, payment, status, nonce: payment.nonce };
}
type Paid = Awaited<ReturnType<typeof payWith>>;

const cancel = ({ buyer, nonce }: Paid) => chain.control({ action: 'cancel', payer: buyer.wallet, nonce });
const spend = ({ payment }: Paid, other: object = {}) =>
  chain.control({ action: 'submit', authorization: { ...payment.authorization, ...other } });

const PENDING = 'payment.settlement-pending';
const settled = { state: 'settled', reason: null, checked: false, events: [PENDING, 'payment.settled'] };
const open = { state: 'settlement_pending', served: false, checked: true, events: [PENDING] };
const failed = { state: 'settlement_failed', checked: false, events: [PENDING, 'payment.settlement-failed'] };
const forAPerson = { state: 'needs_reconciliation', checked: true, events: [PENDING, PENDING] };
const FIRST_ANSWER = [200, null];
const REPLAY = [200, 'true'];
const FAILED = [402, 'settlement_failed'];
const UNKNOWN = [502, 'settlement_unknown'];

const LOST: Mode = { mode: 'settled-but-answer-lost' };
const THIRD_PARTY: Mode = { mode: 'submitted-after-verify' };
const none = () => undefined;
const spentElsewhere = (paid: Paid) => spend(paid, { to: elsewhere });
const spentForLess = (paid: Paid) => spend(paid, { value: '49999' });
const cancelled = { ...failed, reason: 'authorization_canceled' };
const elsewhereUsed = { ...failed, reason: 'authorization_used_elsewhere' };
const served = true;

/** What happened, who is asked, how often verify and settle were called in the end, what the ledger and the buyer have then. */
it.each<[string, Gateway, Mode, (paid: Paid) => void, number[], { served?: boolean; state: string }, unknown[]]>([
  ['served, and it moved', chain, LOST, none, [1, 1], { ...settled, served }, REPLAY],
  ['not served, and it moved', chain, { mode: 'duplicate' }, none, [1, 1], { ...settled, served: false }, FIRST_ANSWER],
  ['a third party submitted it', chain, THIRD_PARTY, none, [1, 1], { ...settled, served: false }, FIRST_ANSWER],
  ['served, nothing on the chain yet', chain, SERVED, none, [1, 2], { ...settled, served }, REPLAY],
  ['not served, nothing on the chain yet', chain, NOT_SERVED, none, [1, 1], open, FIRST_ANSWER],
  ['served and cancelled', chain, SERVED, cancel, [1, 1], { ...cancelled, served }, FAILED],
  ['not served and cancelled', chain, NOT_SERVED, cancel, [1, 1], { ...cancelled, served: false }, FAILED],
  ['served and spent elsewhere', chain, SERVED, spentElsewhere, [1, 1], { ...elsewhereUsed, served }, FAILED],
  ['spent for less', chain, NOT_SERVED, spentForLess, [1, 1], { ...elsewhereUsed, served: false }, FAILED],
  ['without the chain: served', blind, SERVED, none, [1, 2], { ...settled, served }, REPLAY],
  ['without the chain: served, and it moved', blind, LOST, none, [1, 2], { ...forAPerson, served }, REPLAY],
  ['without the chain: not served', blind, NOT_SERVED, none, [2, 1], open, FIRST_ANSWER],
  ['without the chain: not served, and used', blind, { mode: 'duplicate' }, none, [2, 1], forAPerson, UNKNOWN],
])('%s', async (_, by, first, happens, [verify, settle], entries, again) => {
  const paid = await payWith(by, first);
  happens(paid);
  await checkAfter(CONFIRMED_MS, paid, by);
  await untilPayment(by, paid.nonce, entries);
  expect(by.callsAbout(paid.nonce)).toEqual({ verify, settle, bodies: 1 });
  expect(await by.ledger.wallet(paid.buyer.wallet)).toMatchObject({
    settledMicros: entries.state === 'settled' ? 50_000 : 0,
    unpaidCalls: entries.served && entries.state === 'settlement_failed' ? 1 : 0,
  });
  const { status, body, headers } = await by.pay(paid.payment);
  expect([status, body.error ?? headers.get('idempotent-replayed')]).toEqual(again);
  if (entries.state !== 'settled') return;
  const transaction = by.facilitator.ledger(paid.nonce).settlements[0]!.transaction;
  expect(settlementResponseIn(headers)).toMatchObject({ status: 'settled', transaction });
});

it('a transfer is compared with the recipient of its time, not with the present setting', async () => {
  const settings = { X402_PAY_TO: elsewhere };
  const moved = await startGateway({ besides: chain, chain: true, modules: recoveryByHand, settings });
  const paid = await payWith(chain, { mode: 'settled-but-answer-lost' });
  await checkAfter(CONFIRMED_MS, paid, moved);
  expect(await chain.ledger.entriesOf(paid.nonce)).toMatchObject({ state: 'settled' });
  await moved.close();
});

it.each([NOT_SERVED, { mode: 'reverted' }])('unused ten minutes after it expired there: failed (%j)', async (first) => {
  const paid = await payWith(chain, first);
  await checkAfter(EXPIRED_FOR_GOOD_MS, paid, chain);
  expect(await chain.ledger.entriesOf(paid.nonce)).toMatchObject({ checked: true }); // the block is older than now
  await checkAfter(600_000, paid, chain);
  const entries = { ...failed, served: false, reason: 'authorization_expired' };
  expect(await chain.ledger.entriesOf(paid.nonce)).toMatchObject(entries);
});

describe('the last look at what was refused', () => {
  it('finds the transfer of a third party', async () => {
    const paid = await payWith(chain, { mode: 'refused' });
    expect(paid.status).toBe(402);
    chain.clock.advanceMs(CONFIRMED_MS);
    expect(await checkDue(chain)).not.toContain(paid.nonce);
    spend(paid);
    await checkAfter(EXPIRED_FOR_GOOD_MS, paid, chain);
    const entries = { state: 'settled', served: false, transactionHash: HASH };
    expect(await chain.ledger.entriesOf(paid.nonce)).toMatchObject(entries);
    expect((await chain.pay(paid.payment)).status).toBe(200);
  });

  it.each(['ok', '500'])('ends the checks once a late block shows that there is none (chain: %s)', async (mode) => {
    const paid = await payWith(chain, { mode: 'refused' });
    if (mode === '500') chain.clock.advanceMs(CONFIRMED_MS);
    for (const checked of [true, false]) {
      chain.control({ mode: checked ? mode : 'ok', on: 'rpc' });
      await checkAfter(EXPIRED_FOR_GOOD_MS, paid, chain);
      const entries = { state: 'settlement_failed', checked, events: ['payment.settlement-failed'] };
      expect(await chain.ledger.entriesOf(paid.nonce)).toMatchObject(entries);
    }
  });
});

describe('without the chain', () => {
  const pending: Mode = { mode: 'pending-then-never' };

  it('what is open is looked at after 5 s, then in pauses that double', async () => {
    const paid = await payWith(blind, pending);
    blind.control(pending);
    for (const pauseSeconds of [5, 10, 20, 40, 80, 160, 320, 600, 600]) {
      blind.clock.advanceMs(pauseSeconds * 1_000 - 1);
      expect(await checkDue(blind)).not.toContain(paid.nonce);
      await checkAfter(1, paid, blind);
    }
    expect(blind.callsAbout(paid.nonce)).toMatchObject({ settle: 6, bodies: 1 }); // none after it expired
  });

  it('what was not served, but is on its way as the facilitator said, is settled again', async () => {
    const { buyer } = await payWith(blind, SERVED); // takes the one open answer of the wallet
    const paid = await payWith(blind, { mode: 'pending-then-success' }, buyer);
    expect(paid.status).toBe(502);
    await checkAfter(5_000, paid, blind);
    await untilPayment(blind, paid.nonce, { state: 'settled', served: false, calls: 0 });
    expect(blind.callsAbout(paid.nonce)).toMatchObject({ settle: 2, bodies: 1 });
  });

  it('what nothing is known of a day after it expired is for a person', async () => {
    const paid = await payWith(blind, pending);
    await checkAfter(VALID_MS + DAY_MS - 1_000, paid, blind);
    expect(await blind.ledger.entriesOf(paid.nonce)).toMatchObject({ state: 'settlement_pending' });
    await checkAfter(600_000, paid, blind);
    const entries = { state: 'needs_reconciliation', checked: true };
    expect(await blind.ledger.entriesOf(paid.nonce)).toMatchObject(entries);
    expect(blind.callsAbout(paid.nonce).settle).toBe(1);
  });
});

it('an open settle circuit lets neither worker nor requests ask, until it is time for a probe', async () => {
  const paid = await payWith(blind, SERVED);
  blind.clock.advanceMs(4_000);
  for (let call = 0; call < 9; call++) await payWith(blind, SERVED);
  await checkAfter(1_000, paid, blind);
  expect(blind.callsAbout(paid.nonce).settle).toBe(1);
  const payment = await blind.aBuyer().sign();
  expect((await blind.pay(payment)).body.error).toBe('payment_verification_unavailable');
  expect(await blind.ledger.entriesOf(payment.nonce)).toBeNull();

  blind.clock.advanceMs(4_000);
  expect((await blind.pay(payment)).status).toBe(200);
  await checkAfter(6_000, paid, blind);
  await untilPayment(blind, paid.nonce, { state: 'settled' });
});

it('a chain that cannot be read is named by its host alone, whatever the node says', async () => {
  const key = 'c0ffee5ec4e7c0ffee5ec4e7';
  const hash = `0x${'ab'.repeat(32)}`;
  const address = `0x${'12'.repeat(20)}`;
  const payment = { payer: address, nonce: hash, asset: address, authorization: '{}', priceMicros: 1 };
  const node = new StubFacilitator();
  const url = `${await node.start()}/v2/${key}?apikey=${key}`;
  const expectHostOnly = async (rpcUrl: string, because: RegExp) => {
    const reader = new Chain(rpcUrl);
    const evidence = reader.evidence({ ...payment, createdAt: new Date(0) });
    const readings = await Promise.allSettled([reader.head(), reader.transaction(hash, address), evidence]);
    for (const { reason } of readings as { reason: Error }[]) {
      expect(inspect(reason, { depth: 20, showHidden: true })).not.toContain(key);
      expect(reason.message).toMatch(/The chain at 127\.0\.0\.1:\d+ cannot be read/);
      expect(reason.message).toMatch(because);
    }
  };
  node.answers(500, { error: `no ${url}` });
  await expectHostOnly(url, /it answers 500/);
  node.behave = (_, response) => void response.writeHead(200).end(`<html>Sign in at ${url}</html>`);
  await expectHostOnly(url, /cannot be read/);
  await node.close();
  await expectHostOnly(`http://127.0.0.1:${await freePort()}/v2/${key}`, /ECONNREFUSED/);
});
