import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A payment that the worker looks at again: its outcome is open, or a refusal waits for its last look at the chain. */
@Entity({ name: 'payment_checks' })
export class PaymentCheckRow {
  @PrimaryColumn('uuid', { name: 'payment_id' }) paymentId!: string;
  @Column('text') payer!: string;
  @Column('timestamptz', { name: 'next_at' }) nextAt!: Date;
  @Column('integer') attempts!: number;
  /** The facilitator said `settlement_pending`: repeating the settle is asked for even when nothing was served. */
  @Column('boolean', { name: 'settle_again' }) settleAgain!: boolean;
}
