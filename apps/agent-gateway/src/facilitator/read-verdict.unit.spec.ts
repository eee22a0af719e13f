import fc from 'fast-check';
import { readVerdict } from './read-answers';

const unavailable = { kind: 'unavailable', cause: expect.any(String) };
const undecided = { ...unavailable, kind: 'undecided' };
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
    [200, { isValid: false, invalidReason: 'unexpected_error' }, undecided],
    [200, { isValid: false, invalidReason: 'unexpected_verify_error' }, undecided],
    [403, { isValid: false, invalidReason: 'unexpected_verify_error' }, undecided],
    [500, { isValid: true }, undecided],
    [500, { isValid: false, invalidReason: 'insufficient_funds' }, undecided],
    [500, { isValid: false, invalidReason: 'unexpected_verify_error' }, undecided],
    [503, undefined, unavailable],
    [500, { error: 'internal_error' }, unavailable],
    [401, { isValid: false, invalidReason: 'invalid_payload' }, invalid('invalid_payload')],
    [403, { isValid: false, invalidReason: 'kyt_risk_detected' }, invalid('kyt_risk_detected')],
    [403, { isValid: true }, { kind: 'valid' }],
    [404, { isValid: true }, { kind: 'valid' }],
    [429, { isValid: true }, { kind: 'valid' }],
    [401, { errorType: 'unauthorized' }, unavailable],
    [403, { errorType: 'kyt_risk_detected', errorMessage: 'declined' }, undecided],
    [500, { errorType: 'kyt_risk_detected' }, unavailable],
    [404, undefined, unavailable],
    [429, {}, unavailable],
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
