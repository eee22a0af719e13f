import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { DEFINITE_REFUSALS, knownCode, readSettleOutcome, readVerdict, type SettleOutcome } from './read-answers';

const hash = `0x${'1f'.repeat(32)}`;
const payer = '0x857b06519E91e3A54538791bDbb0E22373e36b66';
const settle = (body: unknown, status = 200) =>
  readSettleOutcome(status, body, { payer, networks: ['base', 'eip155:8453'] });
const success = (named: object) => ({ success: true, transaction: hash, ...named });
const failure = (errorReason: unknown, transaction = '', errorMessage?: string) => ({
  success: false,
  errorReason,
  errorMessage,
  transaction,
});
const trace = (text: string) => `The contract function reverted with the following reason:\n${text}\n\nContract Call:`;
const NONCE_USED = 'invalid_exact_evm_nonce_already_used';
const REVERTED = 'invalid_exact_evm_transaction_failed';

const settled = (transactionHash: string | null): SettleOutcome => ({ kind: 'settled', transactionHash });
const silent: SettleOutcome = { kind: 'silent', reason: null };
const contradictory: SettleOutcome = { kind: 'contradictory', reason: null };
const open = (
  kind: 'reverted' | 'nonce_used' | 'unclear',
  reason: string | null,
  transactionHash: string | null = null,
): SettleOutcome => ({ kind, reason, transactionHash });

it.each<[string, unknown, SettleOutcome]>([
  ['success', { success: true, transaction: hash }, settled(hash)],
  ['success without a hash', { success: true, transaction: '' }, settled(null)],
  ['success, hash cut short', { success: true, transaction: '0x1f' }, settled(null)],
  ['success for our payer and short network', success({ payer, network: 'base' }), settled(hash)],
  ['success in other letters', success({ payer: payer.toLowerCase(), network: 'EIP155:8453' }), settled(hash)],
  ['success for another payer', success({ payer: payer.replace('8', '9'), network: 'base' }), contradictory],
  ['success on another network', success({ payer, network: 'base-sepolia' }), contradictory],
  ['success for a payer that is no text', success({ payer: { toString: 1 } }), contradictory],
  ["a proxy's page", undefined, silent],
  ['an error without success', { error: 'internal_error' }, silent],
  ['pending', failure('settlement_pending'), { kind: 'pending', reason: 'settlement_pending' }],
  ['a word that ends like one of the list', failure('invalid_cosignature'), open('unclear', 'invalid_cosignature')],
  ['nonce used', failure(NONCE_USED), open('nonce_used', NONCE_USED)],
  ['nonce used, as a trace', failure(trace('Token: authorization is used or canceled')), open('nonce_used', null)],
  ['nonce used, in words', failure('x', '', 'Authorization is used or canceled'), open('nonce_used', 'x')],
  ['reverted', failure(REVERTED, hash), open('reverted', REVERTED, hash)],
  ['a reason that is no code', failure(trace('ERC20: transfer amount exceeds balance')), open('unclear', null)],
  ['a reason that is no text', failure({ toString: 1 }), open('unclear', null)],
])('settle: %s', (_, body, outcome) => expect(settle(body)).toEqual(outcome));

it.each(DEFINITE_REFUSALS)('settle: %s is refused, with any prefix, below 500 and without a hash', (ending) => {
  for (const reason of [ending, `invalid_exact_evm_${ending}`]) {
    for (const status of [200, 400, 403, 499]) {
      expect(settle(failure(reason), status)).toEqual({ kind: 'refused', reason });
    }
    expect(settle(failure(reason), 500)).toEqual(open('unclear', reason));
    expect(settle(failure(reason, hash))).toEqual(open('unclear', reason, hash));
  }
});

/**
 * Answers of settle as facilitators are documented to give them, with where that is written. None of them says for certain that
 * nothing was sent to the chain.
 *
 * - "reference": the x402 reference facilitator (github.com/x402-foundation/x402), exact EVM scheme, version 1 in
 *   `typescript/packages/x402/src/schemes/exact/evm/facilitator.ts`, version 2 in
 *   `typescript/packages/mechanisms/evm/src/exact/facilitator`
 * - "specification": x402 specification version 2, section "Error codes"
 * - "CDP": the Coinbase CDP facilitator, error code reference on its page "Troubleshooting" and API reference of settle
 */
const UNCERTAIN_ANSWERS: [status: number, reason: string | null, source: string, hash?: 'with a hash'][] = [
  [500, 'settle_exact_node_failure', 'coinbase/x402 issue 1062: the transfer was confirmed after this answer'],
  [200, 'settle_exact_node_failure', 'CDP: the network could not be reached to submit or to confirm'],
  [200, 'settle_exact_failed_onchain', 'CDP: submitted, and reverted'],
  [500, 'settle_exact_evm_transaction_confirmation_timed_out', 'CDP, settle: confirmation timed out'],
  [500, 'unknown_error', 'CDP: could not be classified'],
  [200, 'invalid_exact_evm_verification_failed', 'CDP: one of those that may or may not have landed'],
  [400, 'invalid_payload', 'CDP: also for a nonce that was used'],
  [403, 'request_blocked_by_location', 'CDP: no word on what was sent before'],
  [200, 'invalid_exact_evm_transaction_simulation_failed', 'reference, version 2: an earlier try has spent the nonce'],
  [200, 'invalid_exact_evm_transaction_failed', 'reference, version 2: thrown while it sends and waits'],
  [200, 'invalid_transaction_state', 'reference, version 1: the transaction failed', 'with a hash'],
  [200, 'settlement_receipt_unavailable', 'several: sent, receipt not read in time', 'with a hash'],
  [200, 'facilitator_unavailable', 'aws-samples/sample-agentcore-cloudfront-x402-payments issue 40: after a time-out'],
  [200, 'unexpected_settle_error', 'specification: unexpected error during settlement'],
  [200, 'duplicate_settlement', 'reference: the same payment is being settled'],
  [500, 'insufficient_funds', 'a definite refusal of CDP, under the status of an outage'],
  [200, 'invalid_exact_evm_insufficient_balance', 'a definite refusal of the reference, sent', 'with a hash'],
  [500, null, 'specification: errorReason is optional'],
  [200, 'The contract function reverted.\n\n', 'reference, version 1: what its library threw'],
];

it.each(UNCERTAIN_ANSWERS)('settle: %i %s is uncertain (%s) %s', (...[status, reason, , transaction]) => {
  const { kind } = settle(failure(reason, transaction && hash), status);
  expect(['unclear', 'reverted']).toContain(kind);
});

it('settle never throws, and settles on success: true alone, at any status', () => {
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
  fc.assert(
    fc.property(anyAnswer, fc.integer({ min: 100, max: 599 }), (body, status) => {
      const isSuccess = ['settled', 'contradictory'].includes(settle(body, status).kind);
      expect(isSuccess).toBe((body as { success?: unknown } | null)?.success === true);
    }),
  );
});

const unavailable = { kind: 'unavailable', cause: expect.any(String) };
const undecided = { ...unavailable, kind: 'undecided' };
const invalid = (reason: string | null) => ({ kind: 'invalid', reason });
const no = (invalidReason?: unknown) => ({ isValid: false, invalidReason });

it.each<[number, unknown, unknown]>([
  [200, { isValid: true, payer: '0x1' }, { kind: 'valid' }],
  [429, { isValid: true }, { kind: 'valid' }],
  [200, no('insufficient_funds'), invalid('insufficient_funds')],
  [400, no('invalid_payload'), invalid('invalid_payload')],
  [200, no(), invalid(null)],
  [403, no('unexpected_verify_error'), undecided],
  [500, { isValid: true }, undecided],
  [500, no('insufficient_funds'), undecided],
  [403, { errorType: 'kyt_risk_detected', errorMessage: 'declined' }, undecided],
  [500, { error: 'internal_error' }, unavailable],
  [401, { errorType: 'unauthorized' }, unavailable],
  [200, { isValid: 'true' }, unavailable],
])('verify: status %i with %j', (status, body, verdict) => expect(readVerdict(status, body)).toEqual(verdict));

it('verify takes nothing for valid that does not say so, and never throws', () => {
  const known = fc.record({ isValid: fc.jsonValue(), invalidReason: fc.jsonValue() }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), fc.oneof(fc.jsonValue(), known), (status, answer) => {
      const isValid = (answer as { isValid?: unknown } | null)?.isValid;
      expect(readVerdict(status, answer).kind === 'valid' && isValid !== true).toBe(false);
    }),
  );
});

it.each([
  ['invalid_exact_evm_insufficient_balance', 'insufficient_funds'],
  ['invalid_exact_evm_payload_authorization_valid_after', 'authorization_not_yet_valid'],
  ['invalid_exact_evm_payload_authorization_valid_before', 'authorization_expired'],
  [NONCE_USED, 'authorization_used'],
  ['invalid_exact_evm_payload_signature', 'invalid_signature'],
  ['valid_before_noon', undefined],
  [null, undefined],
])('our word for %p is %p', (reason, code) => expect(knownCode(reason)).toBe(code));

it('the closed list of definite refusals is in docs/protocol.md, each with sources that it explains', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/protocol.md'), 'utf8');
  const section = page.split('### The closed list of definite refusals\n')[1]!.split(/\n##/)[0]!;
  const refusals = [...section.matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm)];
  expect(refusals.map(([, ending]) => ending)).toEqual(DEFINITE_REFUSALS);
  const explained = [...section.matchAll(/^\| (\w[\w ]+?) +\|/gm)].map(([, source]) => source);
  for (const [, , sources] of refusals) expect(explained).toEqual(expect.arrayContaining(sources!.split(', ')));
});
