import fc from 'fast-check';
import { canonicalJson } from '../calls/call';
import { PaymentRefused } from '../calls/payment';
import { aPayload, anAuthorization } from './payment.fixture';
import { readPayload } from './decode-payment';

const lowerHex = (text: string) => (/^0x[0-9a-fA-F]*$/.test(text) ? text.toLowerCase() : text);

/** The same result without cached frames. */
const plainly = (text: string) => {
  const members = JSON.parse(text) as Record<string, unknown>;
  return { members, canonical: canonicalJson(members, lowerHex) };
};
const signed = JSON.stringify(aPayload().payload);
const { signature, authorization } = aPayload().payload;
const nonce = (digit: string) => ({ authorization: { nonce: `0x${digit.repeat(64)}` } });

describe('readPayload', () => {
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

  it('gives each payment its own signed part', () => {
    const [one, other] = ['1', '2'].map((digit) => JSON.stringify(aPayload({ version: 2, ...nonce(digit) })));
    const read = readPayload(one!);
    expect(readPayload(other!)).toEqual(plainly(other!));
    expect(read).toEqual(plainly(one!));
  });

  it('caches some frames, and reads any number of them', () => {
    for (let frame = 0; frame < 250; frame++) {
      const text = JSON.stringify({ ...aPayload(), frame: frame % 150 });
      expect(readPayload(text)).toEqual(plainly(text));
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
