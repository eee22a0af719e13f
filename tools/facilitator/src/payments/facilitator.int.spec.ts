import type { Hex } from 'viem';
import { aBody, aPayment, aSigned, aWallet, FacilitatorAtNoon, noon, payTo, type Wish } from '../payment.fixture';

const seconds = noon.getTime() / 1000;
const stranger = '0x000000000000000000000000000000000000dEaD';

let facilitator: FacilitatorAtNoon;
beforeEach(async () => {
  facilitator = await FacilitatorAtNoon.start();
});
afterEach(() => facilitator.running.close());

it('lists both versions with the network name of each, and takes only what is switched on', async () => {
  const one = { x402Version: 1, scheme: 'exact', network: 'base' };
  const two = { x402Version: 2, scheme: 'exact', network: 'eip155:8453' };
  expect((await facilitator.get('/supported')).body.kinds).toEqual([one, two]);
  facilitator.running.control({ action: 'versions', versions: [1] });
  expect((await facilitator.get('/supported')).body.kinds).toEqual([one]);
  expect(await facilitator.verify(await aPayment({ x402Version: 2 }))).toEqual({
    status: 400,
    body: { isValid: false, invalidReason: 'invalid_x402_version' },
  });
});

describe.each([1, 2] as const)('version %i', (x402Version) => {
  const network = x402Version === 1 ? 'base' : 'eip155:8453';

  it('verifies a good payment and changes nothing', async () => {
    const payment = await aPayment({ x402Version });
    const good = { status: 200, body: { isValid: true, payer: payment.paymentPayload.payload.authorization.from } };
    expect(await facilitator.verify(payment)).toEqual(good);
    expect(await facilitator.verify(payment)).toEqual(good);
    expect(facilitator.running.ledger().settlements).toEqual([]);
  });

  it('settles once, and refuses the second settle without a hash', async () => {
    const signed = await aSigned();
    const payer = signed.authorization.from;
    const first = await facilitator.settle(aBody(signed, { x402Version }));
    expect(first).toEqual({
      status: 200,
      body: { success: true, transaction: expect.stringMatching(/^0x[0-9a-f]{64}$/), network, payer },
    });
    expect(await facilitator.settle(aBody(signed, { x402Version }))).toEqual({
      status: 200,
      body: {
        success: false,
        errorReason: 'invalid_exact_evm_nonce_already_used',
        transaction: '',
        network,
        payer,
      },
    });
    expect(facilitator.running.ledger().settlements).toEqual([
      {
        payer: payer.toLowerCase(),
        nonce: signed.authorization.nonce,
        to: payTo.toLowerCase(),
        value: '50000',
        transaction: first.body.transaction,
        submittedBy: 'facilitator',
        sentAt: noon.toISOString(),
        settledAt: noon.toISOString(),
        block: 300,
      },
    ]);
  });

  it('settles 20 copies at once one time', async () => {
    const payment = await aPayment({ x402Version });
    const answers = await Promise.all(Array.from({ length: 20 }, () => facilitator.settle(payment)));
    expect(answers.filter(({ body }) => body.success)).toHaveLength(1);
    expect(facilitator.running.ledger().settlements).toHaveLength(1);
  });

  it('sees a cancelled authorization', async () => {
    const payment = await aPayment({ x402Version });
    const { from, nonce } = payment.paymentPayload.payload.authorization;
    facilitator.running.control({ action: 'cancel', payer: from, nonce });
    expect((await facilitator.verify(payment)).body.invalidReason).toBe('invalid_exact_evm_nonce_already_used');
    expect((await facilitator.settle(payment)).body.errorReason).toBe('invalid_exact_evm_nonce_already_used');
  });

  it('sees an empty wallet: verify and settle refuse, and the nonce stays unspent', async () => {
    const account = aWallet();
    const payment = await aPayment({ x402Version, account });
    facilitator.running.control({ action: 'balance', wallet: account.address, value: '49999' });
    expect((await facilitator.verify(payment)).body.invalidReason).toBe('invalid_exact_evm_insufficient_balance');
    expect((await facilitator.settle(payment)).body.errorReason).toBe('invalid_exact_evm_insufficient_balance');
    facilitator.running.control({ action: 'balance', wallet: account.address, value: '50000' });
    expect((await facilitator.settle(payment)).body.success).toBe(true);
  });
});

describe('what is wrong with a payment, in the words of version 2 and version 1', () => {
  const cases: [string, Wish, string, string?][] = [
    [
      'signed for less',
      { authorization: { value: '49999' } },
      'invalid_exact_evm_payload_authorization_value_mismatch',
      'invalid_exact_evm_authorization_value',
    ],
    [
      'signed for more',
      { authorization: { value: '50001' } },
      'invalid_exact_evm_payload_authorization_value_mismatch',
      'invalid_exact_evm_authorization_value',
    ],
    ['signed for another recipient', { authorization: { to: stranger } }, 'invalid_exact_evm_recipient_mismatch'],
    [
      '5 s left',
      { authorization: { validBefore: String(seconds + 5) } },
      'invalid_exact_evm_payload_authorization_valid_before',
    ],
    [
      'not valid yet',
      { authorization: { validAfter: String(seconds + 1) } },
      'invalid_exact_evm_payload_authorization_valid_after',
    ],
    ['signed by somebody else', { authorization: { from: stranger } }, 'invalid_exact_evm_signature'],
    ['signed for another chain', { domain: { chainId: 84_532 } }, 'invalid_exact_evm_signature'],
    ['signed for another token', { domain: { name: 'USDC' } }, 'invalid_exact_evm_signature'],
    [
      'the domain name of another token',
      { domain: { name: 'USDC' }, requirements: { extra: { name: 'USDC', version: '2' } } },
      'invalid_exact_evm_token_name_mismatch',
    ],
    [
      'the domain version of another token',
      { domain: { version: '1' }, requirements: { extra: { name: 'USD Coin', version: '1' } } },
      'invalid_exact_evm_token_version_mismatch',
    ],
    ['no domain', { requirements: { extra: undefined } }, 'invalid_exact_evm_missing_eip712_domain'],
    ['another asset', { requirements: { asset: stranger } }, 'asset_not_deployed_contract'],
    ['another scheme', { requirements: { scheme: 'upto' } }, 'invalid_exact_evm_scheme'],
    ['another network', { requirements: { network: 'eip155:1' } }, 'invalid_network'],
    [
      'an amount that is no number',
      { requirements: { amount: '5e4', maxAmountRequired: '5e4' } },
      'invalid_payment_requirements',
    ],
    ['no payload', { payload: { payload: undefined } }, 'invalid_payload'],
    ['another version inside', { payload: { x402Version: 3 } }, 'invalid_x402_version'],
  ];

  it.each(cases)('%s', async (_, wish, two, one = two) => {
    for (const [x402Version, reason] of [
      [2, two],
      [1, one],
    ] as const) {
      const payment = await aPayment({ ...wish, x402Version });
      expect((await facilitator.verify(payment)).body).toMatchObject({ isValid: false, invalidReason: reason });
      expect((await facilitator.settle(payment)).body).toMatchObject({
        success: false,
        errorReason: reason,
        transaction: '',
      });
    }
    expect(facilitator.running.ledger().settlements).toEqual([]);
  });

  it('takes 6 s left', async () => {
    const payment = await aPayment({ authorization: { validBefore: String(seconds + 6) } });
    expect((await facilitator.verify(payment)).body.isValid).toBe(true);
  });

  it.each([
    [1, 'eip155:8453', 400, 'invalid_network'],
    [2, 'base', 400, 'invalid_network'],
  ] as const)('version %i with the network %s', async (x402Version, network, status, invalidReason) => {
    const payment = await aPayment({
      x402Version,
      requirements: { network },
      payload: x402Version === 1 ? { network } : {},
    });
    expect(await facilitator.verify(payment)).toMatchObject({ status, body: { isValid: false, invalidReason } });
  });

  it('an accepted entry for another network than the requirements', async () => {
    const payment = await aPayment();
    const accepted = { ...payment.paymentRequirements, network: 'eip155:84532' };
    const changed = { ...payment, paymentPayload: { ...payment.paymentPayload, accepted } };
    expect((await facilitator.verify(changed)).body.invalidReason).toBe('invalid_exact_evm_network_mismatch');
  });

  it.each([
    ['a relative resource', { resource: '/agent/v1/habits/analyze' }],
    ['a description over 500 characters', { description: 'x'.repeat(501) }],
    ['an output schema that is null', { outputSchema: null }],
  ])('version 1 with %s', async (_, requirements) => {
    const payment = await aPayment({ x402Version: 1, requirements });
    expect((await facilitator.verify(payment)).body.invalidReason).toBe('invalid_payment_requirements');
  });

  it('a signature with a high s, that the token refuses', async () => {
    const signed = await aSigned();
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const [r, s, v] = [signed.signature.slice(0, 66), signed.signature.slice(66, 130), signed.signature.slice(130)];
    const high = (order - BigInt(`0x${s}`)).toString(16).padStart(64, '0');
    const signature = `${r}${high}${v === '1b' ? '1c' : '1b'}` as Hex;
    expect((await facilitator.verify(aBody({ ...signed, signature }))).body.invalidReason).toBe(
      'invalid_exact_evm_signature',
    );
  });

  it('does not take another spelling of a spent authorization', async () => {
    const signed = await aSigned();
    await facilitator.settle(aBody(signed));
    const v = signed.signature.endsWith('1b') ? '00' : '01';
    const respelled = aBody({
      signature: `${signed.signature.slice(0, 130).toUpperCase().replace('0X', '0x')}${v}` as Hex,
      authorization: {
        ...signed.authorization,
        from: signed.authorization.from.toLowerCase() as Hex,
        nonce: signed.authorization.nonce.toUpperCase().replace('0X', '0x') as Hex,
      },
    });
    expect((await facilitator.settle(respelled)).body.errorReason).toBe('invalid_exact_evm_nonce_already_used');
  });
});

describe('an older engine, version 1', () => {
  beforeEach(() => facilitator.running.control({ action: 'engine', v1: 'older' }));

  it('calls spent and empty payers valid, and answers settle with a trace', async () => {
    const account = aWallet();
    const [spent, empty] = [await aPayment({ x402Version: 1, account }), await aPayment({ x402Version: 1, account })];
    await facilitator.settle(spent);
    facilitator.running.control({ action: 'balance', wallet: account.address, value: '0' });

    expect((await facilitator.verify(spent)).body.isValid).toBe(true);
    expect((await facilitator.verify(empty)).body.isValid).toBe(true);
    expect((await facilitator.settle(spent)).body.errorReason).toContain('authorization is used or canceled');
    expect((await facilitator.settle(empty)).body.errorReason).toContain('exceeds balance');
  });

  it('does not change version 2', async () => {
    const payment = await aPayment();
    await facilitator.settle(payment);
    expect((await facilitator.verify(payment)).body.invalidReason).toBe('invalid_exact_evm_nonce_already_used');
  });
});
