const REFERENCE_1 =
  'x402 reference facilitator version 1, exact EVM scheme: verify, which settle repeats before it sends';
const REFERENCE_2 =
  'x402 reference facilitator version 2, exact EVM scheme: verify, which settle repeats before it sends';
const SIMULATION =
  'x402 reference facilitator version 2, exact EVM scheme: cause of a simulation that failed, before it sends';
const SPECIFICATION = 'x402 specification, section "Error codes": the request itself does not fit';
const CDP_CODES = 'Coinbase CDP facilitator, error code reference: codes of any payment or of verification';
const CDP_SCREENING =
  'Coinbase CDP facilitator, error code reference: declined by screening, nothing moves on the chain';
const CDP_API = 'Coinbase CDP facilitator, API reference of settle: verification';

/**
 * Reasons that a facilitator gives before it sends anything to the chain, and where that is written. Engines spell the
 * beginning differently, so a reason is known by its end.
 *
 * Closed: a reason is added only when a facilitator's own code or document shows that it is given before anything is sent.
 * A reason that is missing here costs a buyer a repeat of his request; one too many makes a buyer pay twice.
 */
export const DEFINITE_REFUSALS: Readonly<Record<string, string>> = {
  insufficient_funds: `${REFERENCE_1}; ${CDP_CODES}`,
  insufficient_balance: SIMULATION,
  signature: `${REFERENCE_1}; ${REFERENCE_2}; ${CDP_CODES}`,
  valid_before: `${REFERENCE_1}; ${REFERENCE_2}; ${CDP_CODES}`,
  valid_after: `${REFERENCE_1}; ${REFERENCE_2}; ${CDP_CODES}`,
  authorization_value: `${REFERENCE_1}; ${REFERENCE_2}; ${CDP_CODES}`,
  value_mismatch: SPECIFICATION,
  value_too_low: CDP_API,
  recipient_mismatch: `${REFERENCE_1}; ${REFERENCE_2}`,
  token_name_mismatch: SIMULATION,
  token_version_mismatch: SIMULATION,
  missing_eip712_domain: REFERENCE_2,
  from_address_kyt: CDP_API,
  to_address_kyt: CDP_API,
  kyt_risk_detected: CDP_SCREENING,
  invalid_scheme: `${REFERENCE_1}; ${CDP_CODES}`,
  unsupported_scheme: REFERENCE_1,
  invalid_network: `${REFERENCE_1}; ${CDP_CODES}`,
  network_mismatch: REFERENCE_2,
  invalid_payment_requirements: SPECIFICATION,
  invalid_x402_version: SPECIFICATION,
  asset_not_deployed_contract: REFERENCE_2,
};

const ENDINGS = Object.keys(DEFINITE_REFUSALS);

/** Whether nothing was sent to the chain for certain, when a failure with this reason came with a status below 500 and no hash. */
export function isDefiniteRefusal(reason: string): boolean {
  return ENDINGS.some((ending) => reason === ending || reason.endsWith(`_${ending}`));
}
