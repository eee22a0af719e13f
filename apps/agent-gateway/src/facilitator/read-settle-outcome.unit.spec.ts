import fc from 'fast-check';
import { DEFINITE_REFUSALS, readSettleOutcome as read, type Asked } from './read-answers';
import type { SettleOutcome } from './facilitator.port';

const hash = `0x${'1f'.repeat(32)}`;
const payer = '0x857b06519E91e3A54538791bDbb0E22373e36b66';
const asked: Asked = { payer, networks: ['base', 'eip155:8453'] };
const readSettleOutcome = (body: unknown, status = 200) => read(status, body, asked);
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
      open('unclear', 'invalid_exact_evm_transaction_simulation_failed'),
    ],
    ['malformed, or spent', failure('invalid_payload'), open('unclear', 'invalid_payload')],
    ['node lost', failure('settle_exact_node_failure'), open('unclear', 'settle_exact_node_failure')],
    ['a code nobody knows', failure('refused_for_good'), open('unclear', 'refused_for_good')],
    ['a word that ends like one of the list', failure('invalid_cosignature'), open('unclear', 'invalid_cosignature')],

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

  describe('a definite refusal', () => {
    const endings = Object.keys(DEFINITE_REFUSALS);

    it.each(endings)('%s: refused, however the engine begins it, at any status below 500', (ending) => {
      for (const reason of [ending, `invalid_exact_evm_${ending}`]) {
        for (const status of [200, 400, 403, 499]) {
          expect(readSettleOutcome(failure(reason), status)).toEqual(refused(reason));
        }
        expect(readSettleOutcome(failure(reason), 500)).toEqual(open('unclear', reason));
        expect(readSettleOutcome(failure(reason, hash))).toEqual(open('unclear', reason, hash));
      }
    });
  });

  describe('success', () => {
    const success = (named: object) => ({ success: true, transaction: hash, ...named });
    const settled: SettleOutcome = { kind: 'settled', transactionHash: hash };
    const contradictory: SettleOutcome = { kind: 'contradictory', reason: null };
    it.each<[string, object, SettleOutcome]>([
      ['our payer and short network', { payer, network: 'base' }, settled],
      ['in other letters', { payer: payer.toUpperCase().replace('0X', '0x'), network: 'eip155:8453' }, settled],
      ['nobody and no network', { payer: undefined, network: null }, settled],
      ['an empty payer', { payer: '' }, settled],
      ['another payer', { payer: '0x00000000000000000000000000000000000000A1', network: 'base' }, contradictory],
      ['another network', { payer, network: 'base-sepolia' }, contradictory],
      ['another chain', { payer, network: 'eip155:1' }, contradictory],
      ['a payer that is no text', { payer: { toString: 1 } }, contradictory],
    ])('that names %s', (_, named, outcome) => {
      expect(readSettleOutcome(success(named))).toEqual(outcome);
      expect(readSettleOutcome(success(named), 500)).toEqual(outcome);
    });
  });

  const anyAnswer = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        success: fc.oneof(fc.boolean(), fc.jsonValue()),
        errorReason: fc.oneof(fc.stringMatching(/^[a-z_]{1,80}$/), fc.jsonValue()),
        errorMessage: fc.jsonValue(),
        transaction: fc.oneof(fc.constant(hash), fc.jsonValue()),
        payer: fc.oneof(fc.constant(payer), fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
  );

  it('never throws, and settles only on success: true', () => {
    fc.assert(
      fc.property(anyAnswer, fc.integer({ min: 100, max: 599 }), (body, status) => {
        const success = (body as { success?: unknown } | null)?.success;
        const isSuccess = ['settled', 'contradictory'].includes(readSettleOutcome(body, status).kind);
        expect(isSuccess).toBe(success === true);
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
