/**
 * Answers of settle as facilitators are documented to give them, with where that is written: the tests answer with these.
 * None of them says for certain that nothing was sent to the chain.
 *
 * - "reference": the x402 reference facilitator (github.com/coinbase/x402, now x402-foundation/x402), exact EVM scheme,
 *   version 1 in `typescript/packages/x402/src/schemes/exact/evm/facilitator.ts`, version 2 in
 *   `typescript/packages/mechanisms/evm/src/exact/facilitator` (`eip3009.ts`, `eip3009-utils.ts`, `errors.ts`)
 * - "specification": x402 specification version 2, section "Error codes"
 * - "CDP": the Coinbase CDP facilitator, error code reference on its page "Troubleshooting" and API reference of settle
 */
export const UNCERTAIN_ANSWERS: readonly [
  status: number,
  reason: string | null,
  source: string,
  hash?: 'with a hash',
][] = [
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
  [
    200,
    'The contract function "transferWithAuthorization" reverted.\n\n',
    'reference, version 1: what its library threw',
  ],
];
