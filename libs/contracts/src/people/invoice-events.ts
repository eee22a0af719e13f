import { IsIn, IsString, IsUUID } from 'class-validator';
import { Micros } from '../payments/payment-event';
import { Instant, Nullable } from '../schema/field.decorators';
import { SUBSCRIPTIONS_STREAM } from './subscription-changed';

/** Why an invoice was made. */
export const INVOICE_REASONS = ['first', 'cycle', 'change', 'other'] as const;
export type InvoiceReason = (typeof INVOICE_REASONS)[number];

/** What takes money of an invoice back, or gives it again. */
export const ADJUSTMENT_KINDS = ['refund', 'refund_failed', 'dispute', 'dispute_won'] as const;
export type AdjustmentKind = (typeof ADJUSTMENT_KINDS)[number];

/** An invoice is paid: final, revenue. One of nothing is not published. */
export class InvoicePaid {
  static readonly type = 'invoice.paid';
  static readonly stream = SUBSCRIPTIONS_STREAM;

  /** At the provider. */
  @IsString() invoiceId!: string;
  @IsUUID() userId!: string;
  @Nullable() @IsString() subscriptionId!: string | null;
  @Nullable() @IsString() planCode!: string | null;
  /** What was paid, tax included. */
  @Micros() amountMicros!: number;
  @Micros() taxMicros!: number;
  @IsIn(INVOICE_REASONS) reason!: InvoiceReason;
  @Nullable() @Instant() periodStart!: string | null;
  @Nullable() @Instant() periodEnd!: string | null;
  @Instant() paidAt!: string;
}

/** Money of a paid invoice went back, or came again; access is as it was. */
export class InvoiceAdjusted {
  static readonly type = 'invoice.adjusted';
  static readonly stream = SUBSCRIPTIONS_STREAM;

  /** Refund or dispute at the provider; with its kind it is one adjustment. */
  @IsString() adjustmentId!: string;
  @IsUUID() userId!: string;
  @Nullable() @IsString() invoiceId!: string | null;
  @IsIn(ADJUSTMENT_KINDS) kind!: AdjustmentKind;
  @Micros() amountMicros!: number;
  @Instant() occurredAt!: string;
}
