/** x402 protocol version in which a request is worded. */
export type X402Version = 1 | 2;

/** `older`: version 1 engines that look at neither nonce nor balance and take an overpayment. Version 2 is always current. */
export type Engine = 'current' | 'older';

/** The faults of a payment. */
export type Fault =
  | 'version'
  | 'payload'
  | 'requirements'
  | 'scheme'
  | 'network'
  | 'network_mismatch'
  | 'asset'
  | 'domain_missing'
  | 'domain_name'
  | 'domain_version'
  | 'signature'
  | 'recipient'
  | 'valid_before'
  | 'valid_after'
  | 'value'
  | 'nonce_used'
  | 'balance'
  | 'simulation'
  | 'sending'
  | 'reverted';

/** Each engine spells its reasons in its own way: older version 1, current version 1, version 2. */
const REASONS: Record<Fault, readonly [older: string, one: string, two: string]> = {
  version: ['invalid_x402_version', 'invalid_x402_version', 'invalid_x402_version'],
  payload: ['invalid_payload', 'invalid_payload', 'invalid_payload'],
  requirements: ['invalid_payment_requirements', 'invalid_payment_requirements', 'invalid_payment_requirements'],
  scheme: ['invalid_scheme', 'invalid_exact_evm_scheme', 'invalid_exact_evm_scheme'],
  network: ['invalid_network', 'invalid_network', 'invalid_network'],
  network_mismatch: ['invalid_network', 'invalid_exact_evm_network_mismatch', 'invalid_exact_evm_network_mismatch'],
  asset: ['invalid_payment_requirements', 'asset_not_deployed_contract', 'asset_not_deployed_contract'],
  domain_missing: [
    'invalid_payment_requirements',
    'invalid_exact_evm_missing_eip712_domain',
    'invalid_exact_evm_missing_eip712_domain',
  ],
  domain_name: [
    'invalid_exact_evm_payload_signature',
    'invalid_exact_evm_token_name_mismatch',
    'invalid_exact_evm_token_name_mismatch',
  ],
  domain_version: [
    'invalid_exact_evm_payload_signature',
    'invalid_exact_evm_token_version_mismatch',
    'invalid_exact_evm_token_version_mismatch',
  ],
  signature: ['invalid_exact_evm_payload_signature', 'invalid_exact_evm_signature', 'invalid_exact_evm_signature'],
  recipient: [
    'invalid_exact_evm_payload_recipient_mismatch',
    'invalid_exact_evm_recipient_mismatch',
    'invalid_exact_evm_recipient_mismatch',
  ],
  valid_before: [
    'invalid_exact_evm_payload_authorization_valid_before',
    'invalid_exact_evm_payload_authorization_valid_before',
    'invalid_exact_evm_payload_authorization_valid_before',
  ],
  valid_after: [
    'invalid_exact_evm_payload_authorization_valid_after',
    'invalid_exact_evm_payload_authorization_valid_after',
    'invalid_exact_evm_payload_authorization_valid_after',
  ],
  value: [
    'invalid_exact_evm_payload_authorization_value',
    'invalid_exact_evm_authorization_value',
    'invalid_exact_evm_payload_authorization_value_mismatch',
  ],
  nonce_used: [
    trace('FiatTokenV2: authorization is used or canceled'),
    'invalid_exact_evm_nonce_already_used',
    'invalid_exact_evm_nonce_already_used',
  ],
  balance: [
    trace('ERC20: transfer amount exceeds balance'),
    'invalid_exact_evm_insufficient_balance',
    'invalid_exact_evm_insufficient_balance',
  ],
  simulation: [
    'invalid_exact_evm_transaction_simulation_failed',
    'invalid_exact_evm_transaction_simulation_failed',
    'invalid_exact_evm_transaction_simulation_failed',
  ],
  sending: [
    trace('Blacklistable: account is blacklisted'),
    'invalid_exact_evm_transaction_failed',
    'invalid_exact_evm_transaction_failed',
  ],
  reverted: [
    'invalid_transaction_state',
    'invalid_exact_evm_transaction_failed',
    'invalid_exact_evm_transaction_failed',
  ],
};

const MALFORMED = new Set<Fault>(['version', 'payload', 'requirements', 'network']);

/** Thrown where a payment is found wanting; the answer is made from it. */
export class PaymentRefused extends Error {
  constructor(readonly fault: Fault) {
    super(fault);
  }

  /** Engines answer a request they cannot read with 400 and a bad payment with 200. */
  get status(): number {
    return MALFORMED.has(this.fault) ? 400 : 200;
  }
}

export function reasonFor(fault: Fault, x402Version: X402Version, engine: Engine): string {
  if (x402Version === 2) return REASONS[fault][2];
  return REASONS[fault][engine === 'older' ? 0 : 1];
}

/** Older engines hand through what their client library says about the revert, in several lines. */
function trace(revertText: string): string {
  return [
    'The contract function "transferWithAuthorization" reverted with the following reason:',
    revertText,
    '',
    'Contract Call:',
    '  function:  transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, …)',
  ].join('\n');
}
