import { ApiProperty } from '@nestjs/swagger';
import { AsOfView, Money } from '../figures/figures.view';
import { PaymentView } from '../payments/payments.view';

/** A payment whose money did not come, or not yet. */
export class OpenPaymentView extends PaymentView {
  @ApiProperty({ description: 'the buyer has the result' }) served!: boolean;
  @ApiProperty({ nullable: true, type: String, description: 'code of the facilitator' }) reason!: string | null;
}

export class GroupView {
  @ApiProperty({ type: 'integer', description: 'at most 10,000' }) count!: number;
  @ApiProperty({ description: 'whether there are more than were counted' }) has_more!: boolean;
  @ApiProperty({ description: 'of those counted' }) amount!: Money;
  @ApiProperty({ format: 'date-time', nullable: true, type: String }) oldest_verified_at!: string | null;
}

export class StatusesView {
  @ApiProperty({ description: 'the worker of the gateway is at it' }) settlement_pending!: GroupView;
  @ApiProperty({ description: 'a person must look' }) needs_reconciliation!: GroupView;
}

export class UnresolvedView extends GroupView {
  @ApiProperty() statuses!: StatusesView;
  @ApiProperty({ type: [OpenPaymentView], description: 'oldest first' }) payments!: OpenPaymentView[];
}

export class SettledWithoutHashView extends GroupView {
  @ApiProperty({ type: [PaymentView], description: 'newest first' }) payments!: PaymentView[];
}

export class ServedAndFailedView extends GroupView {
  @ApiProperty({ type: [OpenPaymentView], description: 'newest first' }) payments!: OpenPaymentView[];
}

export class ReconciliationView extends AsOfView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200, description: 'payments at most in each list' })
  limit!: number;
  @ApiProperty({ description: 'neither settled nor failed' }) unresolved!: UnresolvedView;
  @ApiProperty({ description: 'revenue that names no transaction' }) settled_without_hash!: SettledWithoutHashView;
  @ApiProperty({ description: 'results given away' }) served_and_failed!: ServedAndFailedView;
}
