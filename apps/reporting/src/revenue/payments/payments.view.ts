import { ApiProperty } from '@nestjs/swagger';
import { AsOfView } from '../figures/as-of.view';
import { PaymentView } from './payment.view';

export class PaymentsView extends AsOfView {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 200 }) limit!: number;
  @ApiProperty({ type: 'integer', description: 'payments in this answer' }) count!: number;
  @ApiProperty({ type: [PaymentView], description: 'newest verification first, ties by id descending' })
  payments!: PaymentView[];
  @ApiProperty({ nullable: true, type: String, description: 'query `cursor` of the next page; null on the last' })
  next_cursor!: string | null;
}
