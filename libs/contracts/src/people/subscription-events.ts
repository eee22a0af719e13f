import { IsBoolean, IsIn, IsString, IsUUID } from 'class-validator';
import { Micros } from '../payments/payment-events';
import { Instant, IntegerBetween, ListOf, MAX_INTEGER, Nullable } from '../schema/field.decorators';

/** Events of billing about subscriptions and invoices; the key is the user. */
export const SUBSCRIPTIONS_STREAM = 'evenkeel.subscriptions.v1';

export const SUBSCRIPTION_PROVIDERS = ['STRIPE', 'APP_STORE', 'PLAY_STORE', 'MANUAL'] as const;
export const SUBSCRIPTION_STATUSES = ['INCOMPLETE', 'TRIALING', 'ACTIVE', 'PAST_DUE', 'CANCELED', 'EXPIRED'] as const;

/** One subscription of a user, as billing knows it. */
export class SubscriptionState {
  @IsString() id!: string;
  @IsIn(SUBSCRIPTION_PROVIDERS) provider!: (typeof SUBSCRIPTION_PROVIDERS)[number];
  @Nullable() @IsString() planCode!: string | null;
  @IsIn(SUBSCRIPTION_STATUSES) status!: (typeof SUBSCRIPTION_STATUSES)[number];
  @Nullable() @IsIn(['month', 'year']) interval!: 'month' | 'year' | null;
  @Micros() recurringMicros!: number;
  @Nullable() @Instant() startedAt!: string | null;
  @Nullable() @Instant() currentPeriodEnd!: string | null;
  @Nullable() @Instant() cancelAt!: string | null;
  @Nullable() @Instant() trialEnd!: string | null;
  @Nullable() @Instant() pastDueSince!: string | null;
  @IsBoolean() collectionPaused!: boolean;
  /** Until when it gives access, grace included; null when it gives none. Billing alone computes it. */
  @Nullable() @Instant() accessUntil!: string | null;
}

/** Access that an operator gave by hand. */
export class AccessGrant {
  @IsUUID() id!: string;
  /** Null: until it is taken back. */
  @Nullable() @Instant() until!: string | null;
}

/** Everything that billing knows of the access of a user: the whole state, with a version. */
export class SubscriptionChanged {
  static readonly type = 'subscription.changed';
  static readonly stream = SUBSCRIPTIONS_STREAM;

  @IsUUID() userId!: string;
  /** Counts up for the user; a reader applies only a greater one. */
  @IntegerBetween(1, MAX_INTEGER) version!: number;
  @ListOf(() => SubscriptionState) subscriptions!: SubscriptionState[];
  @ListOf(() => AccessGrant) grants!: AccessGrant[];
  /** The cause of the change: the provider's event, or an operator. */
  @IsString() cause!: string;
  /** By the clock of the provider. */
  @Instant() changedAt!: string;
}

/** Why an invoice was made. */
const INVOICE_REASONS = ['first', 'cycle', 'change', 'other'] as const;
export type InvoiceReason = (typeof INVOICE_REASONS)[number];

/** Takes money of an invoice back, or gives it again; a lost dispute moves none, and is over. */
const ADJUSTMENT_KINDS = ['refund', 'refund_failed', 'dispute', 'dispute_won', 'dispute_lost'] as const;
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
  /** The paid amount, tax included. */
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
