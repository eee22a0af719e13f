import { microsColumn } from '@evenkeel/platform/persistence';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PaymentState } from './payment-state';

/** One authorization that reached settle. Unique by (nonce, payer, asset, chain), lower case; never deleted. */
@Entity({ name: 'payments' })
export class PaymentRow {
  @PrimaryColumn('uuid') id!: string;
  @Column('integer', { name: 'chain_id' }) chainId!: number;
  @Column('text') asset!: string;
  @Column('text') payer!: string;
  @Column('text') nonce!: string;
  @Column('text') endpoint!: string;
  @Column(microsColumn({ name: 'price_micros' })) priceMicros!: number;
  /** SHA-256 of method, path and canonical body, hex: which request was paid. */
  @Column('text') fingerprint!: string;
  /** SHA-256 of the decoded payment header, hex: what paid it. */
  @Column('text', { name: 'payload_digest' }) payloadDigest!: string;
  @Column('text', { name: 'payment_identifier', nullable: true }) paymentIdentifier!: string | null;
  @Column('text', { name: 'idempotency_key', nullable: true }) idempotencyKey!: string | null;
  /** JSON, spelled as the buyer spelled it: with signature and requirements it gives the exact bytes sent. */
  @Column('text') authorization!: string;
  @Column('text') signature!: string;
  @Column('integer', { name: 'wording_id' }) requirementsId!: number;
  /** Verified in version 2 requirements, which sees spent nonces and empty wallets. */
  @Column('boolean', { name: 'v2_grade' }) v2Grade!: boolean;
  @Column('text') state!: PaymentState;
  /** A 200 was given. */
  @Column('boolean') served!: boolean;
  @Column('text', { name: 'transaction_hash', nullable: true }) transactionHash!: string | null;
  @Column('text', { nullable: true }) reason!: string | null;
  @Column('text', { name: 'request_id' }) requestId!: string;
  /** Attributed cost of the call, frozen when the payment was claimed. */
  @Column(microsColumn({ name: 'cost_micros' })) costMicros!: number;
  @Column('timestamptz', { name: 'verified_at' }) verifiedAt!: Date;
  /** The claim. */
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'settled_at', nullable: true }) settledAt!: Date | null;
  @Column('timestamptz', { name: 'valid_before' }) validBefore!: Date;
}
