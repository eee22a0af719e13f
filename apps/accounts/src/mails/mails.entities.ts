import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { MailKind } from './mail-texts';

export type TokenKind = 'verify' | 'reset';

/** A single-use token of the link in a mail; of a user and kind one is live at a time. */
@Entity({ name: 'mail_tokens' })
export class MailToken {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'user_id' }) userId!: string;
  @Column('text') kind!: TokenKind;
  /** Where it was sent. */
  @Column('text') email!: string;
  @Column('bytea', { name: 'token_hash' }) tokenHash!: Buffer;
  /** The key that it is derived with. */
  @Column('text', { name: 'key_id' }) keyId!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
  /** When it was used or replaced. */
  @Column('timestamptz', { name: 'ended_at', nullable: true }) endedAt!: Date | null;
  /** Somebody asked for it: such mails are limited. */
  @Column('boolean') asked!: boolean;
}

/** A mail that waits to be sent. Its text is not stored, and its token is derived. */
@Entity({ name: 'mails' })
export class Mail {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'user_id' }) userId!: string;
  @Column('text') kind!: MailKind;
  @Column('text') recipient!: string;
  @Column('uuid', { name: 'token_id', nullable: true }) tokenId!: string | null;
  /** Of those mails that have a link. */
  @ManyToOne(() => MailToken)
  @JoinColumn({ name: 'token_id' })
  token?: MailToken | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  /** Not before; while a process sends it, when another one may. */
  @Column('timestamptz', { name: 'send_at' }) sendAt!: Date;
  @Column('integer') attempts!: number;
}

/** Somebody has forgotten the password of an address, which an account may have or not. */
@Entity({ name: 'reset_requests' })
export class ResetRequest {
  @PrimaryColumn('uuid') id!: string;
  @Column('text', { name: 'email_key' }) emailKey!: string;
  @Column('timestamptz', { name: 'asked_at' }) askedAt!: Date;
}
