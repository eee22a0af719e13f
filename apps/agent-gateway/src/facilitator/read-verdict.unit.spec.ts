import fc from 'fast-check';
import { readVerdict } from './read-verdict';

const unavailable = { kind: 'unavailable', cause: expect.any(String) };
const invalid = (reason: string | null) => ({ kind: 'invalid', reason });

describe('readVerdict', () => {
  it.each<[number, unknown, unknown]>([
    [200, { isValid: true, payer: '0x1' }, { kind: 'valid' }],
    [400, { isValid: true }, { kind: 'valid' }],
    [200, { isValid: false, invalidReason: 'insufficient_funds' }, invalid('insufficient_funds')],
    [400, { isValid: false, invalidReason: 'invalid_payload' }, invalid('invalid_payload')],
    [422, { isValid: false, invalidReason: 'invalid_scheme' }, invalid('invalid_scheme')],
    [200, { isValid: false }, invalid(null)],
    [200, { isValid: false, invalidReason: 'A trace\nof many lines' }, invalid(null)],
    [200, { isValid: false, invalidReason: 42 }, invalid(null)],
    [200, { isValid: false, invalidReason: { toString: 1 } }, invalid(null)],
    [200, { isValid: false, invalidReason: 'unexpected_error' }, unavailable],
    [200, { isValid: false, invalidReason: 'unexpected_verify_error' }, unavailable],
    [500, { isValid: true }, unavailable],
    [500, { isValid: false, invalidReason: 'insufficient_funds' }, unavailable],
    [503, undefined, unavailable],
    [401, { isValid: false, invalidReason: 'invalid_payload' }, unavailable],
    [403, { isValid: true }, unavailable],
    [404, { isValid: true }, unavailable],
    [429, { isValid: true }, unavailable],
    [200, undefined, unavailable],
    [200, null, unavailable],
    [200, [], unavailable],
    [200, 'true', unavailable],
    [200, { isValid: 'true' }, unavailable],
    [200, { isValid: 1 }, unavailable],
    [200, {}, unavailable],
    [302, undefined, unavailable],
  ])('status %i with %j', (status, body, verdict) => expect(readVerdict(status, body)).toEqual(verdict));

  it('takes nothing for valid that does not say so, and never throws', () => {
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record({ isValid: fc.jsonValue(), invalidReason: fc.jsonValue() }, { requiredKeys: [] }),
    );
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), body, (status, answer) => {
        const isValid = (answer as { isValid?: unknown } | null)?.isValid;
        expect(readVerdict(status, answer).kind === 'valid' && isValid !== true).toBe(false);
      }),
    );
  });
});
