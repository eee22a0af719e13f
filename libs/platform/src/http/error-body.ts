import type { DomainError } from '@evenkeel/kernel';
import { STATUS } from './error-status';

export interface ErrorBody {
  error: string;
  message: string;
  details?: Readonly<Record<string, unknown>>;
}

export interface ErrorAnswer {
  status: number;
  body: ErrorBody;
  retryAfterSeconds?: number;
}

/** What a caller gets for a failure nobody foresaw: that it happened, no more. */
const INTERNAL: ErrorAnswer = {
  status: 500,
  body: { error: 'internal_error', message: 'Something failed on our side. It has been recorded.' },
};

/**
 * The answer to an error, before it is dressed for its surface.
 * @param error undefined for an unforeseen one
 */
export function errorAnswer(error: DomainError | undefined): ErrorAnswer {
  if (!error) return INTERNAL;
  const status = STATUS[error.kind];
  const { code, message, details, retryAfterSeconds } = error;
  const waits = retryAfterSeconds !== undefined || error.kind === 'rate_limited';
  return {
    status,
    body: { error: code, message, ...(details && { details }) },
    ...(waits && { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds ?? 1)) }),
  };
}

const AGENT_SURFACE = '/agent/v1';

/** What the failure itself does not know of its call. */
export interface FailedCall {
  /** Something came along that may have paid for this very call before, and whether it has need not have been looked up. */
  mayBeCharged?: boolean;
}

/** Agents spend money per call: every refusal tells them whether this one cost any, and what to do next. */
export function forSurface(path: string, { status, body }: ErrorAnswer, { mayBeCharged }: FailedCall = {}): ErrorBody {
  if (!path.startsWith(AGENT_SURFACE)) return body;
  const isOpen = mayBeCharged && (status === 429 || status === 500);
  const { charged = isOpen ? null : false, retry = retryOf(status, body.error), ...facts } = body.details ?? {};
  return { ...body, details: { ...facts, charged, retry } };
}

function retryOf(status: number, code: string): string {
  if (status === 402) return code === 'payment_already_used' ? 'do_not_retry' : 'pay_again';
  if (status === 429 || status >= 500) return 'retry_same';
  return status === 404 || status === 405 ? 'do_not_retry' : 'fix_request';
}

/** The same body as a problem document (RFC 9457), for callers that ask for one. */
export function asProblem(body: ErrorBody, status: number, baseUrl: string): ErrorBody & Record<string, unknown> {
  const words = body.error.replaceAll('_', ' ');
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return { type: `${baseUrl}/problems/${body.error}`, title, status, detail: body.message, ...body };
}
