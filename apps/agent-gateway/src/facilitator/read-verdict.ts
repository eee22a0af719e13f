import type { Verdict } from './facilitator.port';
import { codeShaped } from './reasons';

const SERVER_ERROR = 500;
const UNDECIDED_REASONS = new Set<unknown>(['unexpected_error', 'unexpected_verify_error']);
/** What the Coinbase facilitator calls a payer or recipient that it declined, also in an error body without a verdict. */
const SCREENED = 'kyt_risk_detected';

interface VerifyAnswer {
  isValid?: unknown;
  invalidReason?: unknown;
  errorType?: unknown;
}

/** Reads a verify answer: below 500 a boolean is a verdict, whatever the status. */
export function readVerdict(status: number, body: unknown): Verdict {
  const answer = body as VerifyAnswer | null;
  if (typeof answer?.isValid !== 'boolean') {
    const kind = status < SERVER_ERROR && answer?.errorType === SCREENED ? 'undecided' : 'unavailable';
    return { kind, cause: `no verdict, status ${status}` };
  }
  if (status >= SERVER_ERROR) return { kind: 'undecided', cause: `status ${status}` };
  if (answer.isValid) return { kind: 'valid' };
  const reason = codeShaped(answer.invalidReason);
  if (UNDECIDED_REASONS.has(reason)) return { kind: 'undecided', cause: `${reason}, status ${status}` };
  return { kind: 'invalid', reason };
}
