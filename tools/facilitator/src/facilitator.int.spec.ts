import type { ControlCommand } from './control';
import { aBody, aPayment, aSigned, aWallet, base, FacilitatorAtNoon, noon, type Wish } from './payment.fixture';

const seconds = noon.getTime() / 1000;
const stranger = '0x000000000000000000000000000000000000dEaD';
const USED = 'invalid_exact_evm_nonce_already_used';
const NO_MONEY = 'invalid_exact_evm_insufficient_balance';

let facilitator: FacilitatorAtNoon;
beforeEach(async () => {
  facilitator = await FacilitatorAtNoon.start();
});
afterEach(() => facilitator.running.close());

/** The way of tests in another process. */
async function set(command: ControlCommand): Promise<void> {
  expect(await facilitator.ask('/control', command)).toEqual({ status: 200, body: { done: true } });
}

const settlements = () => facilitator.running.ledger().settlements;

it('lists both versions with the network name of each, and takes only what is switched on', async () => {
  const one = { x402Version: 1, scheme: 'exact', network: 'base' };
  const two = { x402Version: 2, scheme: 'exact', network: 'eip155:8453' };
  expect((await facilitator.ask('/supported')).body.kinds).toEqual([one, two]);
  await set({ action: 'versions', versions: [1] });
  expect((await facilitator.ask('/supported')).body.kinds).toEqual([one]);
  const refused = { status: 400, body: { isValid: false, invalidReason: 'invalid_x402_version' } };
  expect(await facilitator.verify(await aPayment())).toEqual(refused);
});

describe.each([1, 2] as const)('version %i', (x402Version) => {
  const network = x402Version === 1 ? base.shortName : base.caip2;

  it('verifies without a change, settles the first of twenty copies, and refuses the others without a hash', async () => {
    const signed = await aSigned();
    const [payment, { from: payer, nonce }] = [aBody(signed, { x402Version }), signed.authorization];
    const good = { status: 200, body: { isValid: true, payer } };
    expect([await facilitator.verify(payment), await facilitator.verify(payment)]).toEqual([good, good]);
    expect(settlements()).toEqual([]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => facilitator.settle(payment)));
    const [first, ...more] = answers.filter(({ body }) => body.success);
    const transaction = expect.stringMatching(/^0x[0-9a-f]{64}$/) as string;
    expect([first, more]).toEqual([{ status: 200, body: { success: true, transaction, network, payer } }, []]);
    const refused = { success: false, errorReason: USED, transaction: '', network, payer };
    expect(await facilitator.settle(payment)).toEqual({ status: 200, body: refused });
    const [wallet, settledAt] = [payer.toLowerCase(), noon.toISOString()];
    expect((await facilitator.ask(`/ledger?nonce=${nonce}`)).body).toMatchObject({
      calls: { verify: 2, settle: 21 },
      payments: [{ payer: wallet, nonce, verify: 2, settle: 21, bodies: 1, settleBodies: 1 }],
      settlements: [{ payer: wallet, nonce, value: '50000', settledAt, submittedBy: 'facilitator' }],
    });
  });

  it('sees cancelled authorizations and empty wallets', async () => {
    const cancelled = await aSigned();
    const { from: payer, nonce } = cancelled.authorization;
    await set({ action: 'cancel', payer, nonce });
    const account = aWallet();
    await set({ action: 'balance', wallet: account.address, value: '49999' });
    for (const [signed, reason] of [
      [cancelled, USED],
      [await aSigned({ account }), NO_MONEY],
    ] as const) {
      const payment = aBody(signed, { x402Version });
      expect((await facilitator.verify(payment)).body.invalidReason).toBe(reason);
      expect((await facilitator.settle(payment)).body.errorReason).toBe(reason);
    }
  });
});

const VALUE = 'invalid_exact_evm_payload_authorization_value_mismatch';
const BEFORE = 'invalid_exact_evm_payload_authorization_valid_before';
const AFTER = 'invalid_exact_evm_payload_authorization_valid_after';
const TERMS = 'invalid_payment_requirements';
const OTHER_TOKEN = { domain: { name: 'USDC' }, requirements: { extra: { name: 'USDC', version: '2' } } };
const NO_NUMBER = { requirements: { amount: '5e4', maxAmountRequired: '5e4' } };

it.each<[what: string, wish: Wish, two: string, one?: string]>([
  ['less', { authorization: { value: '49999' } }, VALUE, 'invalid_exact_evm_authorization_value'],
  ['another recipient', { authorization: { to: stranger } }, 'invalid_exact_evm_recipient_mismatch'],
  ['5 s left', { authorization: { validBefore: String(seconds + 5) } }, BEFORE],
  ['not valid yet', { authorization: { validAfter: String(seconds + 1) } }, AFTER],
  ['signed by somebody else', { authorization: { from: stranger } }, 'invalid_exact_evm_signature'],
  ['signed for another chain', { domain: { chainId: 84_532 } }, 'invalid_exact_evm_signature'],
  ['signed for another token', OTHER_TOKEN, 'invalid_exact_evm_token_name_mismatch'],
  ['no domain', { requirements: { extra: undefined } }, 'invalid_exact_evm_missing_eip712_domain'],
  ['another asset', { requirements: { asset: stranger } }, 'asset_not_deployed_contract'],
  ['another scheme', { requirements: { scheme: 'upto' } }, 'invalid_exact_evm_scheme'],
  ['another network', { requirements: { network: 'eip155:1' } }, 'invalid_network'],
  ['an amount that is no number', NO_NUMBER, TERMS],
  ['no time for the answer', { requirements: { maxTimeoutSeconds: undefined } }, TERMS],
  ['no payload', { payload: { payload: undefined } }, 'invalid_payload'],
])('%s is refused in the words of both versions', async (_what, wish, two, one = two) => {
  for (const [x402Version, reason] of [
    [2, two],
    [1, one],
  ] as const) {
    const payment = await aPayment({ ...wish, x402Version });
    expect((await facilitator.verify(payment)).body).toMatchObject({ isValid: false, invalidReason: reason });
    const refused = { success: false, errorReason: reason, transaction: '' };
    expect((await facilitator.settle(payment)).body).toMatchObject(refused);
  }
  expect(settlements()).toEqual([]);
});

it.each([null, 'x', { x402Version: 1 }, { x402Version: 2, paymentPayload: [] }])(
  'verify and settle: %j is a 400 in their own words',
  async (body) => {
    expect(await facilitator.verify(body)).toMatchObject({ status: 400, body: { isValid: false } });
    expect(await facilitator.settle(body)).toMatchObject({ status: 400, body: { success: false, transaction: '' } });
  },
);

describe('a settlement', () => {
  it('that is pending is found by the identical request of version 2, and lands in the next block', async () => {
    const [two, one] = [await aPayment(), await aPayment({ x402Version: 1 })];
    await set({ mode: 'pending-then-success', count: 3 });
    const [first, again, other] = [two, two, one].map((payment) => facilitator.settle(payment));
    const { transaction } = (await first!).body;
    expect((await again!).body).toMatchObject({ errorReason: 'settlement_pending', transaction });
    await other;
    expect(settlements()).toEqual([]);
    expect((await facilitator.settle(two)).body).toMatchObject({ success: true, transaction });
    facilitator.clock.advanceMs(2_000);
    const later = facilitator.clock.now().toISOString();
    expect(settlements()).toMatchObject([{ transaction, settledAt: noon.toISOString() }, { settledAt: later }]);
    expect((await facilitator.settle(one)).body.errorReason).toBe(USED);
  });

  it('that never lands is pending until the payment expires, and the nonce stays unspent', async () => {
    const payment = await aPayment();
    await set({ mode: 'pending-then-never', count: 1 });
    const { body } = await facilitator.settle(payment);
    expect(body.errorReason).toBe('settlement_pending');
    facilitator.clock.advanceMs(299_000);
    expect((await facilitator.settle(payment)).body).toEqual(body);
    facilitator.clock.advanceMs(1_000);
    expect((await facilitator.settle(payment)).body).toMatchObject({ errorReason: BEFORE, transaction: '' });
    expect(settlements()).toEqual([]);
  });
});
