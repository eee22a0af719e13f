import fc from 'fast-check';
import type { SettleOutcome } from './facilitator.port';
import { readSettleOutcome } from './read-settle-outcome';

const hash = `0x${'1f'.repeat(32)}`;
const failure = (errorReason: unknown, transaction: unknown = '', errorMessage?: string) => ({
  success: false,
  errorReason,
  errorMessage,
  transaction,
});
const trace = (text: string) => `The contract function reverted with the following reason:\n${text}\n\nContract Call:`;

const silent: SettleOutcome = { kind: 'silent', reason: null };
const refused = (reason: string): SettleOutcome => ({ kind: 'refused', reason });
const open = (
  kind: 'reverted' | 'nonce_used' | 'unclear',
  reason: string | null,
  transactionHash: string | null = null,
) => ({ kind, reason, transactionHash }) satisfies SettleOutcome;

describe('readSettleOutcome', () => {
  it.each<[string, unknown, SettleOutcome]>([
    ['success', { success: true, transaction: hash }, { kind: 'settled', transactionHash: hash }],
    [
      'success, hash in capitals',
      { success: true, transaction: `0x${'1F'.repeat(32)}` },
      { kind: 'settled', transactionHash: hash },
    ],
    ['success without a hash', { success: true, transaction: '' }, { kind: 'settled', transactionHash: null }],
    ['success, hash cut short', { success: true, transaction: '0x1f' }, { kind: 'settled', transactionHash: null }],
    ['success, odd hash', { success: true, transaction: { toString: 1 } }, { kind: 'settled', transactionHash: null }],

    ["a proxy's page", undefined, silent],
    ['null', null, silent],
    ['a list', [], silent],
    ['success as text', { success: 'true', transaction: hash }, silent],
    ['success as number', { success: 1 }, silent],
    ['an error without success', { error: 'internal_error' }, silent],

    ['pending', failure('settlement_pending'), { kind: 'pending', reason: 'settlement_pending' }],
    ['pending with a hash', failure('settlement_pending', hash), { kind: 'pending', reason: 'settlement_pending' }],

    ['no money', failure('insufficient_funds'), refused('insufficient_funds')],
    [
      'no money, version 2',
      failure('invalid_exact_evm_insufficient_balance'),
      refused('invalid_exact_evm_insufficient_balance'),
    ],
    [
      'expired',
      failure('invalid_exact_evm_payload_authorization_valid_before'),
      refused('invalid_exact_evm_payload_authorization_valid_before'),
    ],
    [
      'would revert',
      failure('invalid_exact_evm_transaction_simulation_failed'),
      refused('invalid_exact_evm_transaction_simulation_failed'),
    ],
    ['malformed', failure('invalid_payload'), refused('invalid_payload')],

    [
      'nonce used',
      failure('invalid_exact_evm_nonce_already_used'),
      open('nonce_used', 'invalid_exact_evm_nonce_already_used'),
    ],
    [
      'nonce used with a hash',
      failure('invalid_exact_evm_nonce_already_used', hash),
      open('nonce_used', 'invalid_exact_evm_nonce_already_used', hash),
    ],
    [
      'nonce used, as a trace',
      failure(trace('FiatTokenV2: authorization is used or canceled')),
      open('nonce_used', null),
    ],
    [
      'nonce used, in the message',
      failure('invalid_payload', '', 'Authorization is used or canceled'),
      open('nonce_used', 'invalid_payload'),
    ],

    [
      'reverted',
      failure('invalid_exact_evm_transaction_failed', hash),
      open('reverted', 'invalid_exact_evm_transaction_failed', hash),
    ],
    [
      'reverted without a hash',
      failure('invalid_exact_evm_transaction_failed'),
      open('reverted', 'invalid_exact_evm_transaction_failed'),
    ],
    [
      'reverted, older engine',
      failure('invalid_transaction_state', hash),
      open('reverted', 'invalid_transaction_state', hash),
    ],
    [
      'other event',
      failure('invalid_exact_evm_transfer_event_mismatch', hash),
      open('reverted', 'invalid_exact_evm_transfer_event_mismatch', hash),
    ],

    ['duplicate', failure('duplicate_settlement'), open('unclear', 'duplicate_settlement')],
    ['unexpected', failure('unexpected_error'), open('unclear', 'unexpected_error')],
    ['unexpected at settle', failure('unexpected_settle_error'), open('unclear', 'unexpected_settle_error')],
    ['refused with a hash', failure('insufficient_funds', hash), open('unclear', 'insufficient_funds', hash)],
    ['no reason', failure(undefined), open('unclear', null)],
    ['a reason that is no code', failure(trace('ERC20: transfer amount exceeds balance')), open('unclear', null)],
    ['a reason that is no text', failure({ toString: 1 }), open('unclear', null)],
  ])('%s', (_, body, outcome) => expect(readSettleOutcome(body)).toEqual(outcome));

  const anyAnswer = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        success: fc.oneof(fc.boolean(), fc.jsonValue()),
        errorReason: fc.oneof(fc.stringMatching(/^[a-z_]{1,80}$/), fc.jsonValue()),
        errorMessage: fc.jsonValue(),
        transaction: fc.oneof(fc.constant(hash), fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
  );

  it('never throws, and settles only on success: true', () => {
    fc.assert(
      fc.property(anyAnswer, (body) => {
        const success = (body as { success?: unknown } | null)?.success;
        expect(readSettleOutcome(body).kind === 'settled').toBe(success === true);
      }),
    );
  });

  it("refuses only without a hash and with a reason of a code's shape", () => {
    fc.assert(
      fc.property(anyAnswer, (body) => {
        if (readSettleOutcome(body).kind !== 'refused') return;
        expect(body).toMatchObject({ success: false, errorReason: expect.stringMatching(/^[a-z0-9_]{1,80}$/) });
        expect((body as { transaction?: unknown }).transaction).not.toBe(hash);
      }),
    );
  });
});
