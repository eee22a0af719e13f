import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The 200 that a payment bought, encrypted, for a repeat of the same request; erased after the replay time. */
@Entity({ name: 'payment_answers' })
export class PaymentAnswerRow {
  @PrimaryColumn('uuid', { name: 'payment_id' }) paymentId!: string;
  @Column('smallint') status!: number;
  @Column('bytea') body!: Buffer;
  /** The clear token of the credit that was issued with it, encrypted. */
  @Column('bytea', { name: 'credit_token', nullable: true }) creditToken!: Buffer | null;
  /** Signed, of the answer as it was given; null until somebody needs it, where a credit came with the answer. */
  @Column('text', { nullable: true }) receipt!: string | null;
  /** The same of the answer as repeats get it that do not show the key: without the token. */
  @Column('text', { name: 'delivered_receipt', nullable: true }) deliveredReceipt!: string | null;
  @Column('text', { name: 'engine_version' }) engineVersion!: string;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
}
