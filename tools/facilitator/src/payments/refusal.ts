/** x402 protocol version in which a request is worded. */
export type X402Version = 1 | 2;

/** What can be wrong with a payment, and how facilitators name it. */
const REASONS = {
  version: 'invalid_x402_version',
  payload: 'invalid_payload',
  requirements: 'invalid_payment_requirements',
  scheme: 'invalid_exact_evm_scheme',
  network: 'invalid_network',
  network_mismatch: 'invalid_exact_evm_network_mismatch',
  asset: 'asset_not_deployed_contract',
  domain_missing: 'invalid_exact_evm_missing_eip712_domain',
  domain_name: 'invalid_exact_evm_token_name_mismatch',
  domain_version: 'invalid_exact_evm_token_version_mismatch',
  signature: 'invalid_exact_evm_signature',
  recipient: 'invalid_exact_evm_recipient_mismatch',
  valid_before: 'invalid_exact_evm_payload_authorization_valid_before',
  valid_after: 'invalid_exact_evm_payload_authorization_valid_after',
  value: 'invalid_exact_evm_payload_authorization_value_mismatch',
  nonce_used: 'invalid_exact_evm_nonce_already_used',
  balance: 'invalid_exact_evm_insufficient_balance',
  reverted: 'invalid_exact_evm_transaction_failed',
} as const;

export type Fault = keyof typeof REASONS;

const MALFORMED = new Set<Fault>(['version', 'payload', 'requirements', 'network']);

/** Thrown where a payment is found wanting; the answer is made from it. */
export class PaymentRefused extends Error {
  constructor(readonly fault: Fault) {
    super(fault);
  }

  /** Facilitators answer a request they cannot read with 400 and a bad payment with 200. */
  get status(): number {
    return MALFORMED.has(this.fault) ? 400 : 200;
  }
}

export function reasonFor(fault: Fault, x402Version: X402Version): string {
  return fault === 'value' && x402Version === 1 ? 'invalid_exact_evm_authorization_value' : REASONS[fault];
}
