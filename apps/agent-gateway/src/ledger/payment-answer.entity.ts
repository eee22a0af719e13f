import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The 200 that a payment bought, encrypted, for a repeat of the same request; erased after the replay time. */
@Entity({ name: 'payment_answers' })
export class PaymentAnswerRow {
  @PrimaryColumn('uuid', { name: 'payment_id' }) paymentId!: string;
  @Column('smallint') status!: number;
  @Column('bytea') body!: Buffer;
  /** The clear token of the credit that was issued with it, encrypted. */
  @Column('bytea', { name: 'credit_token', nullable: true }) creditToken!: Buffer | null;
  @Column('text', { name: 'engine_version' }) engineVersion!: string;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
}
