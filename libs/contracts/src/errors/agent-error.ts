import type { ErrorBody, RETRIES } from './error-body';

/** What an error of the agent surface does not know of its call. */
export interface FailedCall {
  /** The request has something that may have paid for this very call before, and whether it has was perhaps not looked up. */
  mayBeCharged?: boolean;
}

/**
 * The body of an error as the agent surface gives it. Agents spend money per call: every refusal says whether this
 * call cost any, and what to do next.
 */
export function agentErrorBody(
  { status, body }: { status: number; body: ErrorBody },
  { mayBeCharged }: FailedCall = {},
): ErrorBody {
  const isOpen = mayBeCharged && (status === 429 || status === 500);
  const { charged = isOpen ? null : false, retry = retryOf(status, body.error), ...facts } = body.details ?? {};
  return { ...body, details: { ...facts, charged, retry } };
}

function retryOf(status: number, code: string): (typeof RETRIES)[number] {
  if (status === 402) return code === 'payment_already_used' ? 'do_not_retry' : 'pay_again';
  if (status === 429 || status >= 500) return 'retry_same';
  return status === 404 || status === 405 ? 'do_not_retry' : 'fix_request';
}
