import fc from 'fast-check';
import { canonicalJson, PaymentRefused } from '../calls/payment';
import { decodePayment, readPayload } from './decode-payment';
import { anAuthorization, aPayload, aPayment, headerOf } from './payment.fixture';

const without = (member: string, from: object) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => name !== member));
const authorization = anAuthorization();
const signed = (over: unknown, signature: unknown = `0x${'cd'.repeat(65)}`) =>
  headerOf({ ...aPayload(), payload: { signature, authorization: over } });
const signedWith = (over: object) => signed({ ...authorization, ...over });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const nested = (depth: number): object => (depth === 0 ? {} : { inner: nested(depth - 1) });

it('a header in the URL alphabet of base64, without padding, is read', () => {
  const header = headerOf(aPayload({ extensions: { note: '>>>???' }, version: 2 }));
  const urlSafe = header.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  expect(decodePayment(urlSafe)).toEqual(decodePayment(header));
});

it.each([
  ['another signature', aPayload({ signature: `0x${'ce'.repeat(65)}` })],
  ['another network name', aPayload({ offer: { network: 'eip155:8453' } })],
  ['another member anywhere', { ...aPayload(), extra: 0 }],
  ['letter case outside of hex', aPayload({ offer: { network: 'Base' } })],
])('the digest tells %s', (_, payload) => {
  expect(decodePayment(headerOf(payload)).digest).not.toBe(aPayment().digest);
});

it.each([
  { 'payment-identifier': { info: { id: 'a'.repeat(15) } } },
  { 'payment-identifier': { info: { id: 'a'.repeat(129) } } },
  { 'payment-identifier': { info: { id: 1234567890123456 } } },
  { 'payment-identifier': { info: { id: `${'a'.repeat(16)}\0` } } },
  'payment-identifier',
  null,
])('a payment identifier is ignored in %j', (extensions) => {
  expect(aPayment({ version: 2, extensions }).identifier).toBeNull();
});

it.each([
  ['no base64', 'not base64!'],
  ['two headers in one', `${headerOf(aPayload())}, ${headerOf(aPayload())}`],
  ['longer than 16 KB', headerOf({ ...aPayload(), filler: 'x'.repeat(12_288) })],
  ['a list', headerOf([aPayload()])],
  ['nested deeper than 16', headerOf({ ...aPayload(), extra: nested(16) })],
  ['with a number beyond doubles', base64('{"x402Version":1,"extra":1e999}')],
  ['of version 3', headerOf({ ...aPayload(), x402Version: 3 })],
  ['of version 2 without `accepted`', headerOf({ ...aPayload(), x402Version: 2 })],
  ['without a payload', headerOf(without('payload', aPayload()))],
  ['with a signature of 64 bytes', signed(authorization, `0x${'cd'.repeat(64)}`)],
  ['with half a byte in the signature', signed(authorization, `0x${'cd'.repeat(65)}c`)],
  ...Object.keys(authorization).map((member) => [`without ${member}`, signed(without(member, authorization))] as const),
  ['with a short address', signedWith({ from: '0x857b' })],
  ['with a nonce of 31 bytes', signedWith({ nonce: `0x${'ab'.repeat(31)}` })],
  ['with a value of leading zeros', signedWith({ value: '050000' })],
  ['with a time of 79 digits', signedWith({ validBefore: '9'.repeat(79) })],
  ['with a number as value, which it names', signedWith({ value: 30_000 }), /value is a JSON number/],
] as [string, string, RegExp?][])('a header is refused: %s', (_, header, message = /./) => {
  const details = { charged: false, retry: 'pay_again' };
  const said = expect.stringMatching(message);
  expect(() => decodePayment(header)).toThrow(
    expect.objectContaining({ code: 'invalid_payment_payload', details, message: said }) as Error,
  );
});

describe('any input', () => {
  const memberOf = (...names: string[]) => fc.record({ at: fc.constantFrom(...names), value: fc.jsonValue() });
  const anyHeader = fc.oneof(
    fc.string(),
    fc.base64String(),
    fc.json().map(base64),
    memberOf('x402Version', 'scheme', 'network', 'accepted', 'payload', 'extensions').map(({ at, value }) =>
      headerOf({ ...aPayload({ version: 2 }), [at]: value }),
    ),
    memberOf(...Object.keys(authorization)).map(({ at, value }) => signedWith({ [at]: value })),
  );

  it('is refused with one character outside base64, at any position', () => {
    const headers = [0, 1, 2].map((length) => headerOf({ ...aPayload(), extra: 'x'.repeat(length) }));
    const stray = fc.constantFrom('!', ' ', '.', '=', '\n', '\u00e9', '\u0141');
    fc.assert(
      fc.property(fc.constantFrom(...headers), fc.nat(), stray, (header, place, character) => {
        const at = place % (header.length - 4);
        expect(() => decodePayment(header.slice(0, at) + character + header.slice(at))).toThrow('is not base64');
      }),
    );
  });

  it('is decoded or refused', () => {
    fc.assert(
      fc.property(anyHeader, (header) => {
        try {
          expect(decodePayment(header).digest).toMatch(/^[0-9a-f]{64}$/);
        } catch (error) {
          expect(error).toBeInstanceOf(PaymentRefused);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the text around a signed part, which is parsed once and then recognised,', () => {
  /** The same without that. */
  const plainly = (text: string) => {
    const members = JSON.parse(text) as Record<string, unknown>;
    const lowerHex = (value: string) => (/^0x[0-9a-fA-F]*$/.test(value) ? value.toLowerCase() : value);
    return { members, canonical: canonicalJson(members, lowerHex) };
  };
  const { payload } = aPayload();
  const { signature } = payload;
  const part = JSON.stringify(payload);

  it.each([
    ['version 2', JSON.stringify(aPayload({ version: 2, extensions: { bazaar: { info: {}, schema: [1, '0xAB'] } } }))],
    ['the authorization first', JSON.stringify({ a: 1, payload: { authorization, signature }, z: '0xAB' })],
    ['a payload further in', `{"inner":{"payload":${part}},"payload":{"other":1}}`],
    ['two payloads, the signed one first', `{"payload":${part},"payload":{"other":1}}`],
    ['a second payload that is spelled otherwise', `{"payload":${part},"p\\u0061yload" : null}`],
    ['lists in the authorization', JSON.stringify({ payload: { signature, authorization: { from: [['0xAB']] } } })],
    ['escapes in the authorization', `{"payload":{"signature":"0xAB","authorization":{"from":"\\u0030xAB\\"}"}}}`],
    ['a prototype that is none', `{"__proto__":{"a":1},"payload":${part}}`],
  ])('is read the same way each time: %s', (_, text) => {
    for (let time = 0; time < 3; time++) expect(readPayload(text)).toEqual(plainly(text));
  });

  it('is read like JSON', () => {
    const around = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), fc.nat(4));
    fc.assert(
      fc.property(around, ([others, at]) => {
        const entries: [string, unknown][] = Object.entries(others).filter(([name]) => name !== 'payload');
        entries.splice(at, 0, ['payload', { signature, authorization }]);
        const text = JSON.stringify(Object.fromEntries(entries));
        expect(readPayload(text)).toEqual(plainly(text));
      }),
    );
  });

  it.each([
    ['broken before it', `{"x402Version":1 "payload":${part}}`],
    ['broken in it', `{"payload":{"signature":"0xAB","authorization":{"from":}}}`],
    ['too deep around it', `{"payload":${part},"deep":${'['.repeat(16)}${']'.repeat(16)}}`],
    ['a number too large around it', `{"payload":${part},"large":1e999}`],
  ])('is refused each time: %s', (_, text) => {
    for (let time = 0; time < 2; time++) expect(() => readPayload(text)).toThrow(PaymentRefused);
  });
});
