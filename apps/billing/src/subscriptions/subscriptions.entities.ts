import type { PaidPlanCode } from '@evenkeel/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A customer at the provider: of one user, who may have had others before. */
@Entity({ name: 'customers' })
export class Customer {
  @PrimaryColumn('text', { name: 'customer_id' }) customerId!: string;
  @Column('uuid', { name: 'user_id' }) userId!: string;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  /** Null while the provider has them. */
  @Column('timestamptz', { name: 'deleted_at', nullable: true }) deletedAt!: Date | null;
}

/** Premium that an operator has given by hand. */
@Entity({ name: 'grants' })
export class Grant {
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'user_id' }) userId!: string;
  /** Null: without an end. */
  @Column('timestamptz', { nullable: true }) until!: Date | null;
  @Column('text') note!: string;
  @Column('timestamptz', { name: 'granted_at' }) grantedAt!: Date;
  @Column('timestamptz', { name: 'revoked_at', nullable: true }) revokedAt!: Date | null;
}

/** A page of the provider where somebody pays. One of a user is open at a time. */
@Entity({ name: 'checkouts' })
export class Checkout {
  /** Also the idempotency key of its session. */
  @PrimaryColumn('uuid') id!: string;
  @Column('uuid', { name: 'user_id' }) userId!: string;
  @Column('text', { name: 'plan_code' }) plan!: PaidPlanCode;
  @Column('integer', { name: 'trial_days' }) trialDays!: number;
  /** Null until the provider has made it. */
  @Column('text', { name: 'session_id', nullable: true }) sessionId!: string | null;
  @Column('timestamptz', { name: 'created_at' }) createdAt!: Date;
  /** It was paid, or its time is over. */
  @Column('timestamptz', { name: 'closed_at', nullable: true }) closedAt!: Date | null;
}

/** A person, as the events of accounts say. */
@Entity({ name: 'people' })
export class Person {
  @PrimaryColumn('uuid', { name: 'user_id' }) userId!: string;
  @Column('timestamptz', { name: 'verified_at', nullable: true }) verifiedAt!: Date | null;
  @Column('timestamptz', { name: 'deleted_at', nullable: true }) deletedAt!: Date | null;
  @Column('timestamptz', { name: 'changed_at' }) changedAt!: Date;
}

/** Somebody who has left, and whom the provider has to forget. */
@Entity({ name: 'departures' })
export class Departure {
  @PrimaryColumn('uuid', { name: 'user_id' }) userId!: string;
  @Column('timestamptz', { name: 'asked_at' }) askedAt!: Date;
  @Column('timestamptz', { name: 'due_at' }) dueAt!: Date;
  @Column('integer') attempts!: number;
  /** Null until the provider knows them no more. */
  @Column('timestamptz', { name: 'done_at', nullable: true }) doneAt!: Date | null;
}
