import { Clock } from '@evenkeel/kernel';
import { NotFound } from '@evenkeel/platform/http';
import { ValidationFailed, type ValidationIssue } from '@evenkeel/platform/validation';
import { Injectable } from '@nestjs/common';
import { isAddress } from 'viem';
import { PaymentTerms } from '../config/payment-terms';
import { FindPayments, readLedger } from '../ledger/find-payments';
import type { PaymentRow } from '../ledger/ledger.entities';
import { paymentStatus } from './payment-status';

const NONCE = /^0x[0-9a-fA-F]{64}$/;

/** "Was I charged?", for whoever knows the nonce. */
@Injectable()
export class FindPaymentStatus {
  constructor(
    private readonly payments: FindPayments,
    private readonly terms: PaymentTerms,
    private readonly clock: Clock,
  ) {}

  /**
   * @param payer tells payments of one nonce apart
   * @throws ValidationFailed for a malformed nonce or payer, and where several payers share the nonce; NotFound;
   * ServiceUnavailable
   */
  async execute(nonce: unknown, payer?: unknown): Promise<object> {
    if (!(typeof nonce === 'string' && NONCE.test(nonce))) {
      throw bad('/nonce', 'bad_format', 'must be 0x and 64 hex digits');
    }
    if (payer !== undefined && !(typeof payer === 'string' && isAddress(payer, { strict: false }))) {
      throw bad('/payer', 'bad_format', 'must be an EVM address: 0x and 40 hex digits');
    }
    const rows = await readLedger(this.payments.byNonce(nonce.toLowerCase(), payer?.toLowerCase()));
    const payment = this.theOne(rows);
    const answerUntil = await readLedger(this.payments.answerAvailableUntil(payment.id, this.clock.now()));
    return paymentStatus(payment, answerUntil);
  }

  /** Of one payer's rows for other tokens or chains, should our settings have changed, the present one comes first. */
  private theOne(rows: PaymentRow[]): PaymentRow {
    const [first] = rows;
    if (!first) throw new NotFound();
    if (rows.some(({ payer }) => payer !== first.payer)) {
      throw bad('/payer', 'required', 'is required: several payers have used this nonce');
    }
    return rows.find(({ asset }) => asset === this.terms.asset.toLowerCase()) ?? first;
  }
}

function bad(path: string, code: ValidationIssue['code'], message: string): ValidationFailed {
  return new ValidationFailed([{ path, code, message }]);
}
