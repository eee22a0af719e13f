import { ApiProperty } from '@nestjs/swagger';
import { AsOfView, Money } from '../figures/figures.view';
import { PAYMENT_STATUSES, type PaymentStatus } from './payment-rows';

export class PaymentView {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'date-time' }) verified_at!: string;
  @ApiProperty() endpoint!: string;
  @ApiProperty() amount!: Money;
  @ApiProperty({ description: 'in the smallest unit of the stablecoin' }) amount_atomic!: string;
  @ApiProperty({ description: 'checksummed' }) payer!: string;
  @ApiProperty({ example: 'eip155:8453' }) network!: string;
  @ApiProperty({ description: 'checksummed' }) asset!: string;
  @ApiProperty({ nullable: true, type: String, description: 'null until the facilitator returns one' })
  transaction_hash!: string | null;
  @ApiProperty({ enum: PAYMENT_STATUSES, description: 'only settled ones are revenue' }) status!: PaymentStatus;
  @ApiProperty({ format: 'date-time', nullable: true, type: String }) settled_at!: string | null;
  @ApiProperty() rebate_accrued!: Money;
  @ApiProperty() request_id!: string;
}

export class PaymentsView extends AsOfView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200 }) limit!: number;
  @ApiProperty({ type: 'integer', description: 'payments in this answer' }) count!: number;
  @ApiProperty({ type: [PaymentView], description: 'newest verification first, ties by id descending' })
  payments!: PaymentView[];
  @ApiProperty({ nullable: true, type: String, description: 'query `cursor` of the next page; null on the last' })
  next_cursor!: string | null;
}
