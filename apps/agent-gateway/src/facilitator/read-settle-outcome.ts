import type { SettleOutcome } from './facilitator.port';
import { isDefiniteRefusal } from './definite-refusals';
import { codeShaped } from './reasons';

const REVERTED_ENDINGS = ['transaction_failed', 'invalid_transaction_state', 'transfer_event_mismatch'];
const NONCE_USED_TEXT = /authorization is used or canceled/i;
const TRANSACTION_HASH = /^0x[0-9a-fA-F]{64}$/;
const SERVER_ERROR = 500;

interface SettleAnswer {
  success?: unknown;
  errorReason?: unknown;
  errorMessage?: unknown;
  transaction?: unknown;
  payer?: unknown;
  network?: unknown;
}

/** Whose payment was to be settled, and where. */
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
