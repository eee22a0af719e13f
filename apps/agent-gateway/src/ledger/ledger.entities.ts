import type { RebateTierName } from '@evenkeel/contracts';
import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { microsColumn } from './micros-column';
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
  /** Verified by version 2 requirements: such a verify sees spent nonces and empty wallets. */
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

/** The 200 that a payment bought, encrypted, for a repeat of the same request; erased after the replay time. */
@Entity({ name: 'payment_answers' })
export class PaymentAnswerRow {
  @PrimaryColumn('uuid', { name: 'payment_id' }) paymentId!: string;
  @Column('smallint') status!: number;
  @Column('bytea') body!: Buffer;
  /** The clear token of the credit that was issued with it, encrypted. */
  @Column('bytea', { name: 'credit_token', nullable: true }) creditToken!: Buffer | null;
  /** Signed, of the answer as it was given; null until a request needs it, where a credit came with the answer. */
  @Column('text', { nullable: true }) receipt!: string | null;
  /** The same for repeats that do not show the idempotency key: their answer lacks the token. */
  @Column('text', { name: 'delivered_receipt', nullable: true }) deliveredReceipt!: string | null;
  @Column('text', { name: 'engine_version' }) engineVersion!: string;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
}

/** A payment that the worker looks at again: its outcome is open, or a refusal waits for its last look at the chain. */
@Entity({ name: 'payment_checks' })
export class PaymentCheckRow {
  @PrimaryColumn('uuid', { name: 'payment_id' }) paymentId!: string;
  @Column('text') payer!: string;
  @Column('timestamptz', { name: 'next_at' }) nextAt!: Date;
  @Column('integer') attempts!: number;
  /** The facilitator said `settlement_pending`: the settle is repeated even when nothing was served. */
  @Column('boolean', { name: 'settle_again' }) settleAgain!: boolean;
}

/** A request to the facilitator without its authorization; immutable, stored once for all payments that used it. */
@Entity({ name: 'facilitator_wordings' })
export class PaymentRequirementsRow {
  @PrimaryGeneratedColumn('increment') id!: number;
  @Column('text') digest!: string;
  @Column('smallint') version!: 1 | 2;
  @Column('text') head!: string;
  @Column('text') tail!: string;
}

/** A single-use call credit, paid out of the accrued rebate of a wallet. Never deleted. */
@Entity({ name: 'credits' })
export class CreditRow {
  @PrimaryColumn('uuid') id!: string;
  /** SHA-256 of the token, hex; only the caller who earned it has the token itself. */
  @Column('text', { name: 'token_hash' }) tokenHash!: string;
  /** The wallet that earned it; anybody may spend it. */
  @Column('text') payer!: string;
  /** The payment in whose answer it was given. */
  @Column('uuid', { name: 'earned_by' }) earnedBy!: string;
  @Column(microsColumn({ name: 'face_micros' })) faceMicros!: number;
  /** Of the wallet when it was issued. */
  @Column('text') tier!: RebateTierName;
  @Column(microsColumn({ name: 'accrued_after_micros' })) accruedAfterMicros!: number;
  @Column('timestamptz', { name: 'issued_at' }) issuedAt!: Date;
  @Column('timestamptz', { name: 'expires_at', nullable: true }) expiresAt!: Date | null;
  @Column('timestamptz', { name: 'redeemed_at', nullable: true }) redeemedAt!: Date | null;
  @Column('uuid', { name: 'call_id', nullable: true }) callId!: string | null;
  /** Of the request that it paid for; null for one redeemed before this was stored. */
  @Column('text', { nullable: true }) fingerprint!: string | null;
  /** Face value less price, given back to the accrued rebate of the wallet. */
  @Column(microsColumn({ name: 'change_micros', nullable: true })) changeMicros!: number | null;
}

/** The 200 that a credit bought, encrypted, for a repeat of the same request; erased after the replay time. */
@Entity({ name: 'credit_answers' })
export class CreditAnswerRow {
  @PrimaryColumn('uuid', { name: 'credit_id' }) creditId!: string;
  @Column('text', { name: 'idempotency_key', nullable: true }) idempotencyKey!: string | null;
  /** SHA-256 of method, path and canonical body, hex. */
  @Column('text') fingerprint!: string;
  @Column('bytea') body!: Buffer;
  @Column('text', { nullable: true }) receipt!: string | null;
  @Column('text', { name: 'engine_version' }) engineVersion!: string;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
}
