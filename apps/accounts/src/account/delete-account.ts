import { UserDeleted } from '@evenkeel/contracts';
import { Clock, DomainError, uuidv7 } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { announce } from '@evenkeel/platform/messaging';
import { together } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { CrashPoint } from '../accounts.config';
import { Lockout } from '../security/lockout';
import type { Origin } from '../security/origin';
import type { AccountUser } from '../users/account-user';
import { lockSignedIn } from '../users/lock-user';

/** The worker erases the rows much earlier; this is what people are promised. */
const ERASED_WITHIN_MS = 86_400_000;

/** Deleting takes the password, or a sign-in of the last minutes. */
export class ReauthenticationRequired extends DomainError {
  readonly kind = 'unauthorized';
  readonly code = 'reauthentication_required';
  constructor() {
    super('Send the password, or sign in again and repeat within five minutes.');
  }
}

export interface DeletionReceipt {
  receiptId: string;
  deletedAt: Date;
  /** When the last row of the person is gone, at the latest. */
  erasedBy: Date;
}

/** Ends an account: at once no sign-in and no answer has it, and the worker erases its rows afterwards. */
@Injectable()
export class DeleteAccount {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly lockout: Lockout,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {}

  /** By an operator. @returns null when there is no such account, or no more */
  async execute(userId: string): Promise<DeletionReceipt | null> {
    const receipt = await this.dataSource.transaction((tx) => this.delete(tx, userId));
    this.crash.pass('after_commit');
    return receipt;
  }

  /**
   * By its person, who has signed in just now.
   * @returns null when another request was first
   * @throws Unauthorized when the session has ended meanwhile
   */
  async own(user: AccountUser): Promise<DeletionReceipt | null> {
    const receipt = await this.dataSource.transaction(async (tx) => {
      await lockSignedIn(tx, user);
      return this.delete(tx, user.userId);
    });
    this.crash.pass('after_commit');
    return receipt;
  }

  /** The same by their password. @throws InvalidCredentials, RateLimited while locked out, Unauthorized */
  async confirmed(
    { userId, sessionId, email }: AccountUser,
    password: string,
    from: Origin,
  ): Promise<DeletionReceipt | null> {
    const attempt = { userId, sessionId, email, password, from };
    const receipt = await this.lockout.confirm(attempt, (inside) => inside((tx) => this.delete(tx, userId)));
    this.crash.pass('after_commit');
    return receipt;
  }

  private async delete(tx: EntityManager, userId: string): Promise<DeletionReceipt | null> {
    const deletedAt = this.clock.now();
    const [user] = await tx.query<{ address: string }[]>(
      `SELECT email_key AS address FROM users WHERE id = $1 AND deleted_at IS NULL FOR UPDATE`,
      [userId],
    );
    if (!user) return null;
    const receiptId = uuidv7(deletedAt);
    const data = { userId, receiptId, deletedAt: deletedAt.toISOString() };
    await together([
      tx.query(
        `UPDATE users SET deleted_at = $2, email = NULL, email_key = NULL, password_hash = NULL, display_name = NULL,
           timezone = NULL, change_number = change_number + 1
         WHERE id = $1`,
        [userId, deletedAt],
      ),
      tx.query(`UPDATE sessions SET revoked_at = $2 WHERE user_id = $1 AND revoked_at IS NULL`, [userId, deletedAt]),
      // What waits for them has their address.
      tx.query(`DELETE FROM mails WHERE user_id = $1`, [userId]),
      tx.query(`DELETE FROM mail_tokens WHERE user_id = $1`, [userId]),
      // One that is being answered waits for this user, and goes with its answer.
      tx.query(
        `DELETE FROM reset_requests WHERE id IN (
           SELECT id FROM reset_requests WHERE email_key = $1 FOR UPDATE SKIP LOCKED)`,
        [user.address],
      ),
      this.lockout.forget(tx, user.address),
      tx.query(`INSERT INTO deletion_receipts (id, deleted_at) VALUES ($1, $2)`, [receiptId, deletedAt]),
      announce(tx, UserDeleted, { key: userId, subject: userId, occurredAt: deletedAt, data }),
    ]);
    this.crash.pass('before_commit');
    return { receiptId, deletedAt, erasedBy: new Date(deletedAt.getTime() + ERASED_WITHIN_MS) };
  }
}
