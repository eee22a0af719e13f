import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { WeekStart } from './account-user';

/** A person with an account. Of a deleted one a row without anything personal stays until the worker has erased the rest. */
@Entity({ name: 'users' })
export class User {
  @PrimaryColumn('uuid') id!: string;
  /** As typed. This, the next and the password are null once it is deleted, and only then. */
  @Column('text', { nullable: true }) email!: string | null;
  /** The form in which addresses are compared. */
  @Column('text', { name: 'email_key', nullable: true }) emailKey!: string | null;
  @Column('timestamptz', { name: 'email_verified_at', nullable: true }) emailVerifiedAt!: Date | null;
  @Column('text', { name: 'password_hash', nullable: true }) passwordHash!: string | null;
  @Column('boolean', { name: 'password_breached' }) passwordBreached!: boolean;
  @Column('text', { name: 'display_name', nullable: true }) displayName!: string | null;
  @Column('text', { nullable: true }) timezone!: string | null;
  @Column('text') locale!: string;
  @Column('smallint', { name: 'day_start_minutes' }) dayStartMinutes!: number;
  @Column('text', { name: 'week_start' }) weekStart!: WeekStart;
  /** Of the newest change of a habit or a log. */
  @Column('bigint', { name: 'change_number' }) changeNumber!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'deleted_at', nullable: true }) deletedAt!: Date | null;
}

/** One that is not deleted. */
export type LiveUser = User & { email: string; emailKey: string; passwordHash: string };

@Entity({ name: 'sessions' })
export class Session {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'user_id' }) userId!: string;
  @Column('text', { name: 'user_agent', nullable: true }) userAgent!: string | null;
  /** From where it was opened, shortened. */
  @Column('text') network!: string;
  /** The whole address of that, as `callerHash`; null of older sessions. */
  @Column('bytea', { name: 'caller_hash', nullable: true }) callerHash!: Buffer | null;
  @Column('timestamptz', { name: 'signed_in_at' }) signedInAt!: Date;
  @Column('timestamptz', { name: 'last_used_at' }) lastUsedAt!: Date;
  /** Moves on with each refresh, until `endsAt` at the latest. */
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
  @Column('timestamptz', { name: 'ends_at' }) endsAt!: Date;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt!: Date | null;
}

/** A refresh token of a session; one of them is live at a time. */
@Entity({ name: 'refresh_tokens' })
export class StoredRefreshToken {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'session_id' }) sessionId!: string;
  @ManyToOne(() => Session)
  @JoinColumn({ name: 'session_id' })
  session?: Session;
  /** The one whose successor it is; null of the first. */
  @Column('uuid', { name: 'parent_id', nullable: true }) parentId!: string | null;
  @Column('bytea', { name: 'token_hash' }) tokenHash!: Buffer;
  /** The key that its successor is derived with. */
  @Column('text', { name: 'key_id' }) keyId!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  @Column('timestamptz', { name: 'expires_at' }) expiresAt!: Date;
  @Column('timestamptz', { name: 'used_at', nullable: true }) usedAt!: Date | null;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt!: Date | null;
}
