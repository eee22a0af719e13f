import type { Verdict } from './facilitator.port';
import { codeShaped } from './reasons';

const UNAVAILABLE_STATUSES = new Set([401, 403, 404, 429]);
const UNDECIDED_REASONS = new Set<unknown>(['unexpected_error', 'unexpected_verify_error']);

/** Reads a verify answer: the body decides, the HTTP status only says when not to believe it. */
export function readVerdict(status: number, body: unknown): Verdict {
  const answer = body as { isValid?: unknown; invalidReason?: unknown } | null;
  if (status >= 500 || UNAVAILABLE_STATUSES.has(status)) return { kind: 'unavailable', cause: `status ${status}` };
  if (typeof answer?.isValid !== 'boolean') return { kind: 'unavailable', cause: `no verdict, status ${status}` };
  if (answer.isValid) return { kind: 'valid' };
  const reason = codeShaped(answer.invalidReason);
  if (UNDECIDED_REASONS.has(reason)) return { kind: 'unavailable', cause: `${reason}, status ${status}` };
  return { kind: 'invalid', reason };
}
