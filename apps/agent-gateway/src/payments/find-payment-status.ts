import { Clock, DomainError, usdAmount } from '@evenkeel/kernel';
import { ValidationFailed, type ValidationIssue } from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import { getAddress, isAddress } from 'viem';
import { PaymentTerms } from '../config/payment-terms';
import { FindPayments, readLedger } from '../ledger/find-payments';
import type { PaymentState } from '../ledger/payment-state';
import type { PaymentRow } from '../ledger/ledger.entities';
import { ReplayPolicy } from './settle-payment';

const NONCE = /^0x[0-9a-fA-F]{64}$/;

/** No payment with this nonce has reached settlement here. */
export class UnknownPayment extends DomainError {
  readonly kind = 'not_found';
  readonly code = 'not_found';
  constructor() {
    super(
      'No payment with this nonce has reached settlement here, so nothing was charged for it. A request of the last ten seconds may still be worked on: ask again after that, before you sign another payment.',
    );
  }
}

@Injectable()
export class FindPaymentStatus {
  constructor(
    private readonly payments: FindPayments,
    private readonly replayPolicy: ReplayPolicy,
    private readonly terms: PaymentTerms,
    private readonly clock: Clock,
  ) {}

  /**
   * @param payer selects one of several payments with the same nonce
   * @throws ValidationFailed for a malformed nonce or payer, and where several payers share the nonce; UnknownPayment;
   * ServiceUnavailable
   */
  async execute(nonce: unknown, payer?: unknown): Promise<object> {
    if (!(typeof nonce === 'string' && NONCE.test(nonce))) {
      throw bad('/nonce', 'bad_format', 'must be 0x and 64 hex digits');
    }
    const wallet = payer === undefined ? undefined : addressIn(payer, '/payer').toLowerCase();
    const rows = await readLedger(this.payments.byNonce(nonce.toLowerCase(), wallet));
    const payment = this.onlyOne(rows);
    return paymentStatus(payment, await this.answerAvailableUntil(payment));
  }

  /** The identical request gets no answer for a payment that has failed, though the answer is still stored. */
  private async answerAvailableUntil(payment: PaymentRow): Promise<Date | null> {
    if (payment.state === 'settlement_failed' || !this.replayPolicy.isRepeatable(payment)) return null;
    return readLedger(this.payments.answerAvailableUntil(payment.id, this.clock.now()));
  }

  /** A payer may have rows for several tokens or chains when our settings have changed: that of the present token wins. */
  private onlyOne(rows: PaymentRow[]): PaymentRow {
    const [first] = rows;
    if (!first) throw new UnknownPayment();
    if (rows.some(({ payer }) => payer !== first.payer)) {
      throw bad('/payer', 'required', 'is required: several payers have used this nonce');
    }
    return rows.find(({ asset }) => asset === this.terms.asset.toLowerCase()) ?? first;
  }
}

/** @param at where it was given, as a pointer. @returns checksummed. @throws ValidationFailed */
export function addressIn(given: unknown, at: string): string {
  if (typeof given === 'string' && isAddress(given, { strict: false })) return getAddress(given);
  throw bad(at, 'bad_format', 'must be an EVM address: 0x and 40 hex digits');
}

function bad(path: string, code: ValidationIssue['code'], message: string): ValidationFailed {
  return new ValidationFailed([{ path, code, message }]);
}

const CHARGED: Readonly<Record<PaymentState, boolean | null>> = {
  settling: null,
  settlement_pending: null,
  needs_reconciliation: null,
  settled: true,
  settlement_failed: false,
};

/**
 * Whether the payment was charged, and what to do now (D-137). Says only what is on the chain or known to the payer.
 * @param answerUntil when the identical request stops getting its stored answer; null when there is none
 */
function paymentStatus(payment: PaymentRow, answerUntil: Date | null): object {
  const { nonce, payer, endpoint, priceMicros, state, transactionHash } = payment;
  return {
    nonce,
    payer: getAddress(payer),
    endpoint,
    amount: usdAmount(priceMicros),
    amount_atomic: String(priceMicros),
    state,
    charged: CHARGED[state],
    transaction: transactionHash,
    answer_available_until: answerUntil?.toISOString() ?? null,
    retry: retryOf(payment, answerUntil),
  };
}

function retryOf({ state, served }: PaymentRow, answerUntil: Date | null): string {
  if (state === 'settlement_failed') return 'pay_again';
  const isOpen = CHARGED[state] === null;
  // Settled and never answered: the identical request gets its answer at any time.
  return isOpen || answerUntil || !served ? 'retry_same' : 'do_not_retry';
}
