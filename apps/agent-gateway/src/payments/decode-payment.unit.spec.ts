import fc from 'fast-check';
import { canonicalJson, PaymentRefused } from '../calls/payment';
import { decodePayment, readPayload } from './decode-payment';
import { anAuthorization, aPayload, aPayment, headerOf } from './payment.fixture';

function refusalOf(header: string): PaymentRefused {
  try {
    decodePayment(header);
  } catch (error) {
    if (error instanceof PaymentRefused) return error;
    throw error;
  }
  throw new Error('the header was taken');
}

const without = (member: string, from: object) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => name !== member));
const signed = (authorization: unknown, signature: unknown = `0x${'cd'.repeat(65)}`) => ({
  ...aPayload(),
  payload: { signature, authorization },
});
const base64 = (text: string) => Buffer.from(text).toString('base64');
const nested = (depth: number): object => (depth === 0 ? {} : { inner: nested(depth - 1) });

describe('a good header', () => {
  it('in the URL alphabet of base64, without padding', () => {
    const header = headerOf(aPayload({ extensions: { note: '>>>???' }, version: 2 }));
    const urlSafe = header.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    expect(decodePayment(urlSafe)).toEqual(decodePayment(header));
  });
});

describe('the digest', () => {
  it.each([
    ['another signature', aPayload({ signature: `0x${'ce'.repeat(65)}` })],
    ['another network name', aPayload({ offer: { network: 'eip155:8453' } })],
    ['another member anywhere', { ...aPayload(), extra: 0 }],
    ['another time', aPayload({ authorization: { validAfter: '1' } })],
    ['letter case outside of hex', aPayload({ offer: { network: 'Base' } })],
  ])('tells %s', (_, payload) => expect(decodePayment(headerOf(payload)).digest).not.toBe(aPayment().digest));
});

describe('the payment identifier', () => {
  const identifierOf = (extensions: unknown) => aPayment({ version: 2, extensions }).identifier;
  const withId = (id: unknown) => ({ 'payment-identifier': { info: { id } } });

  it.each([
    ['too short', withId('a'.repeat(15))],
    ['too long', withId('a'.repeat(129))],
    ['a number', withId(1234567890123456)],
    ['with a NUL', withId(`${'a'.repeat(16)}\0`)],
    ['in no info', { 'payment-identifier': { info: null } }],
    ['in no extension', { 'payment-identifier': null }],
    ['in extensions that are a text', 'payment-identifier'],
    ['in extensions that are null', null],
  ])('is ignored when it is %s', (_, extensions) => expect(identifierOf(extensions)).toBeNull());
});

it.each(['value', 'validAfter', 'validBefore'])('a JSON number as %s is named as such', (member) => {
  const payload = aPayload({ authorization: { [member]: 30_000 as never } });
  expect(() => decodePayment(headerOf(payload))).toThrow(
    `${member} is a JSON number; it must be a string of decimal digits, such as "30000"`,
  );
});

describe('a malformed header', () => {
  const authorization = anAuthorization();
  const long = headerOf({ ...aPayload(), filler: 'x'.repeat(12_288) });
  it.each([
    ['no base64', 'not base64!'],
    ['two headers in one', `${headerOf(aPayload())}, ${headerOf(aPayload())}`],
    ['longer than 16 KB', long],
    ['no JSON', base64('{"x402Version": 1')],
    ['a list', headerOf([aPayload()])],
    ['null', headerOf(null)],
    ['nested deeper than 16', headerOf({ ...aPayload(), extra: nested(16) })],
    ['with a number beyond doubles', base64('{"x402Version":1,"extra":1e999}')],
    ['of no version', headerOf(without('x402Version', aPayload()))],
    ['of version 3', headerOf({ ...aPayload(), x402Version: 3 })],
    ['of version 2 without `accepted`', headerOf({ ...aPayload(), x402Version: 2 })],
    ['without a payload', headerOf(without('payload', aPayload()))],
    ['without a signature', headerOf({ ...aPayload(), payload: { authorization } })],
    ['with a signature of 64 bytes', headerOf(signed(authorization, `0x${'cd'.repeat(64)}`))],
    ['with half a byte in the signature', headerOf(signed(authorization, `0x${'cd'.repeat(65)}c`))],
    ['without an authorization', headerOf(signed(undefined))],
    ...Object.keys(authorization).map((member): [string, string] => [
      `without ${member}`,
      headerOf(signed(without(member, authorization))),
    ]),
    ['with a short address', headerOf(signed({ ...authorization, from: '0x857b' }))],
    ['with an address that is none', headerOf(signed({ ...authorization, to: `0x${'g'.repeat(40)}` }))],
    ['with a nonce of 31 bytes', headerOf(signed({ ...authorization, nonce: `0x${'ab'.repeat(31)}` }))],
    ['with a value in hex', headerOf(signed({ ...authorization, value: '0xc350' }))],
    ['with a value of leading zeros', headerOf(signed({ ...authorization, value: '050000' }))],
    ['with a negative value', headerOf(signed({ ...authorization, value: '-50000' }))],
    ['with a time of 79 digits', headerOf(signed({ ...authorization, validBefore: '9'.repeat(79) }))],
  ])('is refused: %s', (_, header) => {
    const { code, details } = refusalOf(header);
    expect(code).toBe('invalid_payment_payload');
    expect(details).toEqual({ charged: false, retry: 'pay_again' });
  });
});

describe('any input', () => {
  const anyHeader = fc.oneof(
    fc.string(),
    fc.base64String(),
    fc.json().map(base64),
    fc
      .record({
        at: fc.constantFrom('x402Version', 'scheme', 'network', 'accepted', 'payload', 'extensions'),
        value: fc.jsonValue(),
      })
      .map(({ at, value }) => headerOf({ ...aPayload({ version: 2 }), [at]: value })),
    fc
      .record({ at: fc.constantFrom(...Object.keys(anAuthorization())), value: fc.jsonValue() })
      .map(({ at, value }) => headerOf(signed({ ...anAuthorization(), [at]: value }))),
  );

  it('is refused with one character outside base64, at any position', () => {
    const notBase64 = expect.objectContaining({ message: expect.stringContaining('is not base64') as string }) as Error;
    const headers = [0, 1, 2].map((length) => headerOf({ ...aPayload(), extra: 'x'.repeat(length) }));
    const stray = fc.constantFrom('!', ' ', '.', '=', '\n', '\u00e9', '\u0141');
    fc.assert(
      fc.property(fc.constantFrom(...headers), fc.nat(), stray, (header, place, character) => {
        const at = place % (header.length - 4);
        expect(() => decodePayment(header.slice(0, at) + character + header.slice(at))).toThrow(notBase64);
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

describe('readPayload', () => {
  const lowerHex = (text: string) => (/^0x[0-9a-fA-F]*$/.test(text) ? text.toLowerCase() : text);

  /** The same result without cached frames. */
  const plainly = (text: string) => {
    const members = JSON.parse(text) as Record<string, unknown>;
    return { members, canonical: canonicalJson(members, lowerHex) };
  };
  const signed = JSON.stringify(aPayload().payload);
  const { signature, authorization } = aPayload().payload;
  it.each([
    ['version 1', JSON.stringify(aPayload())],
    ['version 2', JSON.stringify(aPayload({ version: 2, extensions: { bazaar: { info: {}, schema: [1, '0xAB'] } } }))],
    ['the authorization first', JSON.stringify({ a: 1, payload: { authorization, signature }, z: '0xAB' })],
    ['a payload further in', `{"inner":{"payload":${signed}},"payload":{"other":1}}`],
    ['a payload further in alone', `{"inner":{"payload":${signed}}}`],
    ['two payloads, the signed one first', `{"payload":${signed},"payload":{"other":1}}`],
    ['two payloads, the signed one last', `{"payload":{"other":1},"payload":${signed}}`],
    ['a second payload that is spelled otherwise', `{"payload":${signed},"p\\u0061yload" : null}`],
    ['a name that ends like it', `{"x\\"payload":${signed},"payload":1}`],
    ['a text that holds it', JSON.stringify({ note: `"payload":${signed}`, payload: 'none' })],
    ['white space', JSON.stringify(aPayload(), null, 1)],
    ['more than the two members', JSON.stringify({ payload: { signature, authorization, more: 1 } })],
    ['lists in the authorization', JSON.stringify({ payload: { signature, authorization: { from: [['0xAB']] } } })],
    ['escapes in the authorization', `{"payload":{"signature":"0xAB","authorization":{"from":"\\u0030xAB\\"}"}}}`],
    ['a prototype that is none', `{"__proto__":{"a":1},"payload":${signed}}`],
  ])('reads %s the same way each time', (_, text) => {
    for (let time = 0; time < 3; time++) {
      const { members, canonical } = readPayload(text);
      expect(members).toEqual(plainly(text).members);
      expect(canonical).toBe(plainly(text).canonical);
    }
  });

  it('parses the text around a signed part like JSON', () => {
    const around = fc.tuple(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), fc.nat(4));
    fc.assert(
      fc.property(around, ([others, at]) => {
        const entries: [string, unknown][] = Object.entries(others).filter(([name]) => name !== 'payload');
        entries.splice(at, 0, ['payload', { signature, authorization: anAuthorization() }]);
        const text = JSON.stringify(Object.fromEntries(entries));
        expect(readPayload(text)).toEqual(plainly(text));
      }),
    );
  });

  it.each([
    ['broken before it', `{"x402Version":1 "payload":${signed}}`],
    ['broken after it', `{"payload":${signed}`],
    ['broken in it', `{"payload":{"signature":"0xAB","authorization":{"from":}}}`],
    ['more digits after it', `{"payload":${signed}7}`],
    ['too deep around it', `{"payload":${signed},"deep":${'['.repeat(16)}${']'.repeat(16)}}`],
    ['a number too large around it', `{"payload":${signed},"large":1e999}`],
    ['a number too large in it', `{"payload":{"signature":"0xAB","authorization":{"value":1e999}}}`],
  ])('refuses %s', (_, text) => {
    expect(() => readPayload(text)).toThrow(PaymentRefused);
    expect(() => readPayload(text)).toThrow(PaymentRefused);
  });
});
