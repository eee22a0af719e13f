import { redacted } from '@evenkeel/platform/config';

/**
 * The outcome of verify. Only a verdict decides.
 * - `unavailable`: nothing is known and nothing was written.
 * - `undecided`: the same, by an answer that the buyer's payload may have caused.
 */
export type Verdict =
  { kind: 'valid' } | { kind: 'invalid'; reason: string | null } | { kind: 'unavailable' | 'undecided'; cause: string };

/**
 * The outcome of settle.
 * - `settled`: the money moved; the hash may be missing.
 * - `refused`: definite, nothing was sent to the chain.
 * - `reverted`, `nonce_used`: someone's transaction decided, only the chain knows whose.
 * - `pending`: the facilitator works on it. `silent`: no usable answer. Both may be served unsettled, under a bound; silence
 *   only after three seconds.
 * - `unclear`: an answer that decides nothing. `contradictory`: success, of another payer or network or by
 *   the transfer of another payment.
 */
export type SettleOutcome =
  | { kind: 'settled'; transactionHash: string | null }
  | { kind: 'refused'; reason: string }
  | { kind: 'reverted' | 'nonce_used' | 'unclear'; reason: string | null; transactionHash: string | null }
  | { kind: 'pending' | 'silent' | 'contradictory'; reason: string | null };

/**
 * Reasons that a facilitator gives before it sends anything to the chain. docs/protocol.md has the sources of each. Engines
 * spell the beginning differently, so a reason is known by its end.
 *
 * Closed: a reason is added only when a facilitator's own code or document shows that it is given before anything is sent.
 * A reason that is missing here costs a buyer one repeat of the request; one too many makes a buyer pay twice.
 */
export const DEFINITE_REFUSALS = [
  'insufficient_funds',
  'insufficient_balance',
  'signature',
  'valid_before',
  'valid_after',
  'authorization_value',
  'value_mismatch',
  'value_too_low',
  'recipient_mismatch',
  'token_name_mismatch',
  'token_version_mismatch',
  'missing_eip712_domain',
  'from_address_kyt',
  'to_address_kyt',
  'kyt_risk_detected',
  'invalid_scheme',
  'unsupported_scheme',
  'invalid_network',
  'network_mismatch',
  'invalid_payment_requirements',
  'invalid_x402_version',
  'asset_not_deployed_contract',
];

function isDefiniteRefusal(reason: string): boolean {
  return DEFINITE_REFUSALS.some((ending) => reason === ending || reason.endsWith(`_${ending}`));
}

const CODE_SHAPED = /^[a-z0-9_]{1,80}$/;
const MAX_LOGGED_CHARACTERS = 300;
const UNDECIDED_REASONS = new Set<unknown>(['unexpected_error', 'unexpected_verify_error']);
/** The Coinbase facilitator's word for a payer or recipient that it declined, also in an error without a verdict. */
const SCREENED = 'kyt_risk_detected';
const REVERTED_ENDINGS = ['transaction_failed', 'invalid_transaction_state', 'transfer_event_mismatch'];
const NONCE_USED_TEXT = /authorization is used or canceled/i;
const TRANSACTION_HASH = /^0x[0-9a-fA-F]{64}$/;
const SERVER_ERROR = 500;

/** Engines spell reasons differently and agree on the end, so the end is matched. The first match wins. */
const ENDINGS: readonly [ending: string, code: string][] = [
  ['insufficient_funds', 'insufficient_funds'],
  ['insufficient_balance', 'insufficient_funds'],
  ['valid_after', 'authorization_not_yet_valid'],
  ['valid_before', 'authorization_expired'],
  ['nonce_already_used', 'authorization_used'],
  ['signature', 'invalid_signature'],
];

interface SettleAnswer {
  success?: unknown;
  errorReason?: unknown;
  errorMessage?: unknown;
  transaction?: unknown;
  payer?: unknown;
  network?: unknown;
}

export interface Asked {
  payer: string;
  /** The names of our chain. */
  networks: readonly string[];
}

/** Reads a settle answer. Whatever is not known for certain is uncertain: see docs/protocol.md. */
export function readSettleOutcome(status: number, body: unknown, asked: Asked): SettleOutcome {
  const answer = body as SettleAnswer | null;
  if (typeof answer?.success !== 'boolean') return { kind: 'silent', reason: null };

  const transactionHash = hashOf(answer.transaction);
  if (answer.success) {
    // The hash of a contradictory answer belongs to another payment.
    return speaksOf(asked, answer) ? { kind: 'settled', transactionHash } : { kind: 'contradictory', reason: null };
  }

  const reason = codeShaped(answer.errorReason);
  if (reason === 'settlement_pending') return { kind: 'pending', reason };
  if (isNonceUsed(reason, answer)) return { kind: 'nonce_used', reason, transactionHash };
  if (reason !== null && REVERTED_ENDINGS.some((ending) => reason.endsWith(ending))) {
    return { kind: 'reverted', reason, transactionHash };
  }
  const isRefusal = reason !== null && status < SERVER_ERROR && transactionHash === null && isDefiniteRefusal(reason);
  return isRefusal ? { kind: 'refused', reason } : { kind: 'unclear', reason, transactionHash };
}

function hashOf(transaction: unknown): string | null {
  return typeof transaction === 'string' && TRANSACTION_HASH.test(transaction) ? transaction.toLowerCase() : null;
}

function isNonceUsed(reason: string | null, { errorReason, errorMessage }: SettleAnswer): boolean {
  if (reason?.endsWith('nonce_already_used')) return true;
  return [errorReason, errorMessage].some((text) => typeof text === 'string' && NONCE_USED_TEXT.test(text));
}

/** A member that is absent contradicts nothing. */
function speaksOf({ payer, networks }: Asked, answer: SettleAnswer): boolean {
  return names(answer.payer, [payer.toLowerCase()]) && names(answer.network, networks);
}

function names(named: unknown, expected: readonly string[]): boolean {
  if (named === undefined || named === null || named === '') return true;
  return typeof named === 'string' && expected.includes(named.toLowerCase());
}

interface VerifyAnswer {
  isValid?: unknown;
  invalidReason?: unknown;
  errorType?: unknown;
}

/** Reads a verify answer: below 500 a boolean is a verdict, whatever the status. */
export function readVerdict(status: number, body: unknown): Verdict {
  const answer = body as VerifyAnswer | null;
  if (typeof answer?.isValid !== 'boolean') {
    const kind = isScreening(status, body) ? 'undecided' : 'unavailable';
    return { kind, cause: `no verdict, status ${status}` };
  }
  if (status >= SERVER_ERROR) return { kind: 'undecided', cause: `status ${status}` };
  if (answer.isValid) return { kind: 'valid' };
  const reason = codeShaped(answer.invalidReason);
  if (UNDECIDED_REASONS.has(reason)) return { kind: 'undecided', cause: `${reason}, status ${status}` };
  return { kind: 'invalid', reason };
}

/** Whether an answer to verify or settle says nothing about the payment, nor about its payer. */
export function isUnusable(status: number, body: unknown): boolean {
  const { isValid, success } = Object(body) as { isValid?: unknown; success?: unknown };
  return typeof (isValid ?? success) !== 'boolean' && !isScreening(status, body);
}

function isScreening(status: number, body: unknown): boolean {
  return status < SERVER_ERROR && (Object(body) as VerifyAnswer).errorType === SCREENED;
}

/** A facilitator's reason, if it may be shown to buyers and put into events; anything else may be a trace of internals. */
export function codeShaped(reason: unknown): string | null {
  return typeof reason === 'string' && CODE_SHAPED.test(reason) ? reason : null;
}

/** Text that is not a code goes to the log only: secrets removed, then cut. Some engines pass on what their node said, in many lines. */
export function reasonForLog(body: unknown): string | null {
  const { invalidReason, errorReason } = Object(body) as { invalidReason?: unknown; errorReason?: unknown };
  const reason = invalidReason ?? errorReason;
  return typeof reason === 'string' && codeShaped(reason) === null
    ? redacted(reason).slice(0, MAX_LOGGED_CHARACTERS)
    : null;
}

/** Our own word for a well-known reason (D-27), for `details.code`. */
export function knownCode(reason: string | null): string | undefined {
  return reason === null ? undefined : ENDINGS.find(([ending]) => reason.endsWith(ending))?.[1];
}
