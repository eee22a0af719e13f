import { codeShaped, knownCode, reasonForLog } from './read-answers';

describe('codeShaped', () => {
  it.each(['insufficient_funds', 'a', '0', 'x'.repeat(80)])('shows %p', (reason) =>
    expect(codeShaped(reason)).toBe(reason),
  );
  it.each([
    '',
    'x'.repeat(81),
    'Insufficient_funds',
    'two words',
    'line\nbreak',
    'a_code\n',
    'é',
    42,
    null,
    undefined,
    {},
  ])('keeps %p back', (reason) => expect(codeShaped(reason)).toBeNull());
});

describe('knownCode', () => {
  it.each([
    ['insufficient_funds', 'insufficient_funds'],
    ['invalid_exact_evm_insufficient_balance', 'insufficient_funds'],
    ['invalid_exact_evm_payload_authorization_valid_after', 'authorization_not_yet_valid'],
    ['invalid_exact_evm_payload_authorization_valid_before', 'authorization_expired'],
    ['invalid_exact_evm_nonce_already_used', 'authorization_used'],
    ['invalid_exact_evm_payload_signature', 'invalid_signature'],
    ['invalid_exact_evm_signature', 'invalid_signature'],
    ['invalid_exact_evm_transaction_simulation_failed', undefined],
    ['valid_before_noon', undefined],
    [null, undefined],
  ])('%p is %p', (reason, code) => expect(knownCode(reason)).toBe(code));
});

describe('reasonForLog', () => {
  it.each([
    [{ isValid: false, invalidReason: 'Reverted:\nno' }, 'Reverted:\nno'],
    [{ success: false, errorReason: 'E'.repeat(301) }, 'E'.repeat(300)],
    [{ errorReason: 'insufficient_funds' }, null],
    [{ errorReason: { toString: 1 } }, null],
    [{}, null],
    [null, null],
    [undefined, null],
    ['text', null],
  ])('%j', (body, logged) => expect(reasonForLog(body)).toBe(logged));
});
