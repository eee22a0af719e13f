import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  type Asked,
  DEFINITE_REFUSALS,
  knownCode,
  readSettleOutcome as read,
  readVerdict,
  type SettleOutcome,
  SOURCES,
} from './read-answers';

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
    ['success without a hash', { success: true, transaction: '' }, { kind: 'settled', transactionHash: null }],
    ['success, hash cut short', { success: true, transaction: '0x1f' }, { kind: 'settled', transactionHash: null }],

    ["a proxy's page", undefined, silent],
    ['success as text', { success: 'true', transaction: hash }, silent],
    ['an error without success', { error: 'internal_error' }, silent],

    ['pending', failure('settlement_pending'), { kind: 'pending', reason: 'settlement_pending' }],

    ['a code nobody knows', failure('refused_for_good'), open('unclear', 'refused_for_good')],
    ['a word that ends like one of the list', failure('invalid_cosignature'), open('unclear', 'invalid_cosignature')],

    [
      'nonce used',
      failure('invalid_exact_evm_nonce_already_used'),
      open('nonce_used', 'invalid_exact_evm_nonce_already_used'),
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
      'reverted, older engine',
      failure('invalid_transaction_state', hash),
      open('reverted', 'invalid_transaction_state', hash),
    ],

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
});

const unavailable = { kind: 'unavailable', cause: expect.any(String) };
const undecided = { ...unavailable, kind: 'undecided' };
const invalid = (reason: string | null) => ({ kind: 'invalid', reason });

describe('readVerdict', () => {
  it.each<[number, unknown, unknown]>([
    [200, { isValid: true, payer: '0x1' }, { kind: 'valid' }],
    [200, { isValid: false, invalidReason: 'insufficient_funds' }, invalid('insufficient_funds')],
    [400, { isValid: false, invalidReason: 'invalid_payload' }, invalid('invalid_payload')],
    [200, { isValid: false }, invalid(null)],
    [200, { isValid: false, invalidReason: 'A trace\nof many lines' }, invalid(null)],
    [200, { isValid: false, invalidReason: { toString: 1 } }, invalid(null)],
    [200, { isValid: false, invalidReason: 'unexpected_error' }, undecided],
    [200, { isValid: false, invalidReason: 'unexpected_verify_error' }, undecided],
    [403, { isValid: false, invalidReason: 'unexpected_verify_error' }, undecided],
    [500, { isValid: true }, undecided],
    [500, { isValid: false, invalidReason: 'insufficient_funds' }, undecided],
    [500, { isValid: false, invalidReason: 'unexpected_verify_error' }, undecided],
    [500, { error: 'internal_error' }, unavailable],
    [401, { isValid: false, invalidReason: 'invalid_payload' }, invalid('invalid_payload')],
    [403, { isValid: false, invalidReason: 'kyt_risk_detected' }, invalid('kyt_risk_detected')],
    [429, { isValid: true }, { kind: 'valid' }],
    [401, { errorType: 'unauthorized' }, unavailable],
    [403, { errorType: 'kyt_risk_detected', errorMessage: 'declined' }, undecided],
    [500, { errorType: 'kyt_risk_detected' }, unavailable],
    [404, undefined, unavailable],
    [200, undefined, unavailable],
    [200, { isValid: 'true' }, unavailable],
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

it('the closed list of definite refusals is in docs/protocol.md, with the same sources', () => {
  const page = readFileSync(join(__dirname, '../../../../docs/protocol.md'), 'utf8');
  const section = page.split('### The closed list of definite refusals\n')[1]!.split(/\n##/)[0]!;
  const rows = [...section.matchAll(/^\| `?([\w ]+?)`? +\| (.+?) +\|$/gm)].map(([, name, text]) => [name!, text!]);
  const endings = Object.entries(DEFINITE_REFUSALS).map(([ending, sources]) => [ending, sources.join(', ')]);
  const expected = [['Ending', 'Sources'], ...endings, ['Source', 'What it says'], ...Object.entries(SOURCES)];
  expect(rows).toEqual(expected);
});
