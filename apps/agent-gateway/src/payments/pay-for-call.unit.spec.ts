import { CHAINS, PAID_ENDPOINTS } from '@evenkeel/contracts';
import { checkScheme, checkTerms, checkTime } from './pay';
import { analyze, aPayment, noon, terms, type Wish } from './payment.fixture';

const other = '0x00000000000000000000000000000000000000A1';
const tooDear = { value: '50001' };

describe('checkScheme', () => {
  it.each<[string, Wish]>([
    ['version 1 with the short name', { version: 1 }],
    ['version 1 with the long name', { version: 1, offer: { network: 'eip155:8453' } }],
    ['version 2 with the long name', { version: 2 }],
  ])('takes %s', (_, wish) => expect(checkScheme(aPayment(wish), terms)).toBeNull());

  it.each<[string, Wish, string]>([
    ['another scheme', { offer: { scheme: 'upto' } }, 'unsupported_scheme'],
    ['no scheme', { offer: { scheme: undefined } }, 'unsupported_scheme'],
    ['another scheme in version 2', { version: 2, offer: { scheme: 'upto' } }, 'unsupported_scheme'],
    ['another network', { offer: { network: 'base-sepolia' } }, 'unsupported_network'],
    ['no network', { offer: { network: undefined } }, 'unsupported_network'],
    ['the short name in version 2', { version: 2, offer: { network: 'base' } }, 'unsupported_network'],
    ['another network in version 2', { version: 2, offer: { network: 'eip155:1' } }, 'unsupported_network'],
    ['both wrong: the scheme is checked first', { offer: { scheme: 'upto', network: 'x' } }, 'unsupported_scheme'],
  ])('refuses %s', (_, wish, code) => expect(checkScheme(aPayment(wish), terms)?.code).toBe(code));

  it('knows another chain by its own names', () => {
    const sepolia = { ...terms, chain: CHAINS[1]! };
    expect(checkScheme(aPayment({ offer: { network: 'base-sepolia' } }), sepolia)).toBeNull();
    expect(checkScheme(aPayment(), sepolia)?.details).toMatchObject({ expected: 'eip155:84532' });
  });
});

describe('checkTerms', () => {
  it.each<[string, Wish]>([
    ['version 1', { version: 1 }],
    ['version 2', { version: 2 }],
    ['addresses in lower case', { version: 1, authorization: { to: terms.payTo.toLowerCase() } }],
    ['an asset in lower case', { version: 2, offer: { asset: terms.asset.toLowerCase() } }],
  ])('takes %s', (_, wish) => expect(checkTerms(aPayment(wish), analyze, terms)).toBeNull());

  it.each<[string, Wish, string, object]>([
    ['signed for another', { authorization: { to: other } }, 'wrong_recipient', { expected: terms.payTo }],
    ['accepted for another', { version: 2, offer: { payTo: other } }, 'wrong_recipient', { expected: terms.payTo }],
    ['accepted for nobody', { version: 2, offer: { payTo: undefined } }, 'wrong_recipient', {}],
    ['accepted in another token', { version: 2, offer: { asset: other } }, 'wrong_asset', { expected: terms.asset }],
    ['accepted in no token', { version: 2, offer: { asset: null } }, 'wrong_asset', {}],
    ['too much', { authorization: tooDear }, 'amount_mismatch', { expected: '50000', received: '50001' }],
    ['too little', { authorization: { value: '49999' } }, 'amount_mismatch', { received: '49999' }],
    ['accepted another amount', { version: 2, offer: { amount: '1' } }, 'amount_mismatch', { received: '1' }],
    ['accepted no amount', { version: 2, offer: { amount: undefined } }, 'amount_mismatch', { received: null }],
    ['accepted a number', { version: 2, offer: { amount: 50_000 } }, 'amount_mismatch', { received: null }],
    ['accepted an amount that is not text', { version: 2, offer: { amount: { toString: 1 } } }, 'amount_mismatch', {}],
    [
      'accepted a long text',
      { version: 2, offer: { amount: '9'.repeat(99) } },
      'amount_mismatch',
      { received: '9'.repeat(80) },
    ],
  ])('refuses what is %s', (_, wish, code, details) => {
    const refusal = checkTerms(aPayment(wish), analyze, terms);
    expect(refusal?.code).toBe(code);
    expect(refusal?.details).toMatchObject({ ...details, charged: false, retry: 'pay_again' });
  });

  it('compares with the price of the endpoint that is called', () => {
    for (const endpoint of PAID_ENDPOINTS) {
      const matches = endpoint.priceMicros === analyze.priceMicros;
      expect(checkTerms(aPayment(), endpoint, terms)).toEqual(matches ? null : expect.anything());
    }
  });

  it('checks the recipient, then the token, then the amount', () => {
    const codeOf = (wish: Wish) => checkTerms(aPayment({ version: 2, ...wish }), analyze, terms)?.code;
    expect(codeOf({ authorization: { to: other, ...tooDear }, offer: { asset: other } })).toBe('wrong_recipient');
    expect(codeOf({ authorization: tooDear, offer: { asset: other } })).toBe('wrong_asset');
    expect(codeOf({ authorization: tooDear })).toBe('amount_mismatch');
  });
});

describe('checkTime', () => {
  const nowSeconds = noon.getTime() / 1_000;
  const check = (authorization: Wish['authorization'], now = noon) =>
    checkTime(aPayment({ authorization }), terms, now);
  const codeWith = (secondsLeft: number) => check({ validBefore: String(nowSeconds + secondsLeft) })?.code;
  const codeBefore = (seconds: number) => check({ validAfter: String(nowSeconds + seconds) })?.code;

  it.each([6, 7, 300, 900])('takes %i s left', (seconds) => expect(codeWith(seconds)).toBeUndefined());
  it.each([5, 0, -1, -nowSeconds])('refuses %i s left', (seconds) =>
    expect(codeWith(seconds)).toBe('authorization_expired'),
  );
  it.each([901, 10 ** 9])('refuses %i s left', (seconds) =>
    expect(codeWith(seconds)).toBe('authorization_valid_too_long'),
  );

  it.each([-nowSeconds, 0, 30])('takes an authorization that is valid in %i s', (seconds) =>
    expect(codeBefore(seconds)).toBeUndefined(),
  );
  it('refuses an authorization that is valid in 31 s', () =>
    expect(codeBefore(31)).toBe('authorization_not_yet_valid'));

  it('counts the milliseconds of the clock', () => {
    const later = new Date(noon.getTime() + 1);
    expect(check({ validBefore: String(nowSeconds + 6) }, later)?.code).toBe('authorization_expired');
    expect(check({ validBefore: String(nowSeconds + 901) }, new Date(noon.getTime() + 1_000))).toBeNull();
  });

  it.each([`1${'0'.repeat(60)}`, '9'.repeat(78)])('refuses a time beyond the calendar: %s', (validBefore) => {
    expect(check({ validBefore })?.details).toEqual({
      code: 'authorization_valid_too_long',
      charged: false,
      retry: 'pay_again',
    });
  });
});
