import { DomainError } from '@evenkeel/kernel';
import type { Call } from '../calls/call';
import { PaymentRefused } from '../calls/payment-refused';

const CREDIT_STATUS_HEADER = 'X-Agent-Credit-Status';
/** Headers of an answer that a credit has paid for. */
export const REDEEMED = { [CREDIT_STATUS_HEADER]: 'redeemed' };

/** A credit that does not pay for the call: a 402 with a fresh challenge, unless a payment came along. */
export class CreditRefused extends PaymentRefused {
  override readonly headers: Record<string, string>;

  constructor(status: 'spent' | 'invalid', message: string) {
    super(`credit_${status}`, message);
    this.headers = { [CREDIT_STATUS_HEADER]: status };
  }
}

export function creditSpent(): CreditRefused {
  return new CreditRefused('spent', 'This credit has paid for a call already. Pay for this one.');
}

export function creditInvalid(): CreditRefused {
  return new CreditRefused('invalid', 'This is no credit of ours, or it has expired. Pay for this call.');
}

/** The ledger did not say whether the credit was redeemed. */
export class RedemptionUnknown extends DomainError {
  readonly kind = 'upstream_unavailable';
  readonly code = 'settlement_unknown';
  override readonly retryAfterSeconds = 5;
  override readonly details = { charged: null, retry: 'retry_same' };

  constructor() {
    super(
      'Whether the credit was redeemed is not known yet. Repeat the identical request; with an Idempotency-Key it gets ' +
        'its answer even if it was.',
    );
  }
}

/** @throws RedemptionUnknown when the ledger fails, or does not answer in the time of the call */
export async function orRedemptionUnknown<T>(call: Call, work: Promise<T>): Promise<T> {
  try {
    return await call.deadline.withinBudget(work);
  } catch {
    throw new RedemptionUnknown();
  }
}
