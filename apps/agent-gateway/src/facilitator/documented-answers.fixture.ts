/**
 * Answers of settle as facilitators are documented to give them, with where that is written: the tests answer with these.
 *
 * - "reference": the x402 reference facilitator (github.com/coinbase/x402, now x402-foundation/x402), exact EVM scheme,
 *   version 1 in `typescript/packages/x402/src/schemes/exact/evm/facilitator.ts`, version 2 in
 *   `typescript/packages/mechanisms/evm/src/exact/facilitator` (`eip3009.ts`, `eip3009-utils.ts`, `errors.ts`)
 * - "specification": x402 specification version 2, section "Error codes"
 * - "CDP": the Coinbase CDP facilitator, error code reference on its page "Troubleshooting" and API reference of settle
 */
export interface DocumentedAnswer {
  status: number;
  errorReason?: string;
  errorMessage?: string;
  /** Has the hash of the transaction that was sent. */
  namesTransaction?: boolean;
  source: string;
}

/** None of them says for certain that nothing was sent to the chain. */
export const UNCERTAIN_ANSWERS: readonly DocumentedAnswer[] = [
  {
    status: 500,
    errorReason: 'settle_exact_node_failure',
    errorMessage: 'transaction did not confirm in time: context deadline exceeded',
    source: 'coinbase/x402 issue 1062: the transfer was confirmed after this answer',
  },
  {
    status: 200,
    errorReason: 'settle_exact_node_failure',
    source: 'CDP: the network could not be reached to submit or to confirm',
  },
  { status: 200, errorReason: 'settle_exact_failed_onchain', source: 'CDP: submitted, and reverted' },
  {
    status: 500,
    errorReason: 'settle_exact_evm_transaction_confirmation_timed_out',
    source: 'CDP, API reference of settle: confirmation timed out',
  },
  { status: 500, errorReason: 'unknown_error', source: 'CDP: could not be classified' },
  {
    status: 200,
    errorReason: 'invalid_exact_evm_verification_failed',
    source: 'CDP: one of those that may or may not have landed',
  },
  { status: 400, errorReason: 'invalid_payload', source: 'CDP: also for a nonce that was used' },
  { status: 403, errorReason: 'request_blocked_by_location', source: 'CDP: no word on what was sent before' },
  {
    status: 200,
    errorReason: 'invalid_exact_evm_transaction_simulation_failed',
    source: 'reference, version 2: the simulation says no once an earlier try has spent the nonce',
  },
  {
    status: 200,
    errorReason: 'invalid_exact_evm_transaction_failed',
    source: 'reference, version 2: whatever is thrown while it sends and waits',
  },
  {
    status: 200,
    errorReason: 'invalid_transaction_state',
    namesTransaction: true,
    source: 'reference, version 1: the transaction failed',
  },
  {
    status: 200,
    errorReason: 'settlement_receipt_unavailable',
    namesTransaction: true,
    source: 'facilitators that wait for the receipt for a limited time: sent, receipt not read',
  },
  {
    status: 200,
    errorReason: 'facilitator_unavailable',
    source: 'aws-samples/sample-agentcore-cloudfront-x402-payments issue 40: given after a time-out of settle',
  },
  { status: 200, errorReason: 'unexpected_settle_error', source: 'specification: unexpected error during settlement' },
  { status: 200, errorReason: 'duplicate_settlement', source: 'reference: the same payment is being settled' },
  {
    status: 500,
    errorReason: 'insufficient_funds',
    source: 'a definite refusal of CDP, under the status of an outage',
  },
  {
    status: 200,
    errorReason: 'invalid_exact_evm_insufficient_balance',
    namesTransaction: true,
    source: 'a definite refusal of the reference, with a transaction',
  },
  { status: 500, source: 'specification: errorReason is optional' },
  {
    status: 200,
    errorReason: 'The contract function "transferWithAuthorization" reverted.\n\nContract Call:',
    source: 'reference, version 1: what its library threw, handed through by servers around it',
  },
];
