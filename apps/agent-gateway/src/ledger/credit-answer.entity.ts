import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The 200 that a credit bought, encrypted, for the same request once more; erased after the replay time. */
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
