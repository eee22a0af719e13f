import type { SettleOutcome } from './facilitator.port';
import { codeShaped } from './reasons';

const UNDECIDED_REASONS = new Set(['duplicate_settlement', 'unexpected_error', 'unexpected_settle_error']);
const REVERTED_ENDINGS = ['transaction_failed', 'invalid_transaction_state', 'transfer_event_mismatch'];
const NONCE_USED_TEXT = /authorization is used or canceled/i;
const TRANSACTION_HASH = /^0x[0-9a-fA-F]{64}$/;

interface SettleAnswer {
  success?: unknown;
  errorReason?: unknown;
  errorMessage?: unknown;
  transaction?: unknown;
}

/** Reads a settle answer (payments.md section 5). When in doubt the outcome is unknown: only a definite refusal is a refusal. */
export function readSettleOutcome(body: unknown): SettleOutcome {
  const answer = body as SettleAnswer | null;
  if (typeof answer?.success !== 'boolean') return { kind: 'silent', reason: null };

  const transactionHash = hashOf(answer.transaction);
  if (answer.success) return { kind: 'settled', transactionHash };

  const reason = codeShaped(answer.errorReason);
  if (reason === 'settlement_pending') return { kind: 'pending', reason };
  if (isNonceUsed(reason, answer)) return { kind: 'nonce_used', reason, transactionHash };
  if (reason !== null && REVERTED_ENDINGS.some((ending) => reason.endsWith(ending))) {
    return { kind: 'reverted', reason, transactionHash };
  }
  if (reason === null || UNDECIDED_REASONS.has(reason) || transactionHash !== null) {
    return { kind: 'unclear', reason, transactionHash };
  }
  return { kind: 'refused', reason };
}

function hashOf(transaction: unknown): string | null {
  return typeof transaction === 'string' && TRANSACTION_HASH.test(transaction) ? transaction.toLowerCase() : null;
}

function isNonceUsed(reason: string | null, { errorReason, errorMessage }: SettleAnswer): boolean {
  if (reason?.endsWith('nonce_already_used')) return true;
  return [errorReason, errorMessage].some((text) => typeof text === 'string' && NONCE_USED_TEXT.test(text));
}
