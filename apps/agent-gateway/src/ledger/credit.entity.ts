import type { RebateTierName } from '@evenkeel/contracts';
import { microsColumn } from '@evenkeel/platform/persistence';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A single-use call credit, paid out of the accrued rebate of a wallet. Never deleted. */
@Entity({ name: 'credits' })
export class CreditRow {
  @PrimaryColumn('uuid') id!: string;
  /** SHA-256 of the token, hex; the token itself is with whoever was given it. */
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
  /** Of the request that it paid for; null of one redeemed before this was kept. */
  @Column('text', { nullable: true }) fingerprint!: string | null;
  /** Face value less price, given back to the accrued rebate of the wallet. */
  @Column(microsColumn({ name: 'change_micros', nullable: true })) changeMicros!: number | null;
}
