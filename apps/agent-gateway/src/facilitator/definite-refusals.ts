/** Where it is written that a reason is given before anything is sent to the chain. */
export const SOURCES = {
  'reference 1':
    'x402 reference facilitator, version 1, exact EVM scheme: given by verify, which settle repeats before it sends',
  'reference 2':
    'x402 reference facilitator, version 2, exact EVM scheme: given by verify, which settle repeats before it sends',
  simulation:
    'x402 reference facilitator, version 2, exact EVM scheme: why a simulation or an estimate failed, before it sends',
  specification: 'x402 specification, section "Error codes": the request itself does not fit',
  'CDP codes':
    'Coinbase CDP facilitator, error code reference: what fails verification, apart from its table "Settlement only"',
  'CDP screening':
    'Coinbase CDP facilitator, error code reference: declined by screening, so that nothing moves on the chain',
  'CDP settle': 'Coinbase CDP facilitator, API reference of settle: a reason of verification or of screening',
} as const;

type Source = keyof typeof SOURCES;

/**
 * Reasons that a facilitator gives before it sends anything to the chain, each with its sources. Engines spell the beginning
 * differently, so a reason is known by its end.
 *
 * Closed: a reason is added only when a facilitator's own code or document shows that it is given before anything is sent.
 * A reason that is missing here costs a buyer one repeat of the request; one too many makes a buyer pay twice.
 */
export const DEFINITE_REFUSALS: Readonly<Record<string, readonly Source[]>> = {
  insufficient_funds: ['reference 1', 'CDP codes'],
  insufficient_balance: ['simulation'],
  signature: ['reference 1', 'reference 2', 'CDP codes'],
  valid_before: ['reference 1', 'reference 2', 'CDP codes'],
  valid_after: ['reference 1', 'reference 2', 'CDP codes'],
  authorization_value: ['reference 1', 'reference 2', 'CDP codes'],
  value_mismatch: ['specification'],
  value_too_low: ['CDP settle'],
  recipient_mismatch: ['reference 1', 'reference 2'],
  token_name_mismatch: ['simulation'],
  token_version_mismatch: ['simulation'],
  missing_eip712_domain: ['reference 2'],
  from_address_kyt: ['CDP settle'],
  to_address_kyt: ['CDP settle'],
  kyt_risk_detected: ['CDP screening'],
  invalid_scheme: ['reference 1', 'CDP codes'],
  unsupported_scheme: ['reference 1'],
  invalid_network: ['reference 1', 'CDP codes'],
  network_mismatch: ['reference 2'],
  invalid_payment_requirements: ['specification'],
  invalid_x402_version: ['specification'],
  asset_not_deployed_contract: ['reference 2'],
};

const ENDINGS = Object.keys(DEFINITE_REFUSALS);

/** Whether nothing was sent for certain, provided that the failure came with a status below 500 and without a hash. */
export function isDefiniteRefusal(reason: string): boolean {
  return ENDINGS.some((ending) => reason === ending || reason.endsWith(`_${ending}`));
}
