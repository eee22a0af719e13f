import { UserDeleted } from '@evenkeel/contracts';
import { Clock, DomainError, uuidv7 } from '@evenkeel/kernel';
import { BackgroundWorker, type WorkerJob } from '@evenkeel/platform/service';
import { ProcessCrash } from '@evenkeel/platform/config';
import { announce } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not, type EntityManager } from 'typeorm';
import type { CrashPoint } from '../accounts.config';
import { Mail, MailToken, ResetRequest } from '../mails/mails.entities';
import { Lockout } from '../security/lockout';
import type { Origin } from '../security/mail-address';
import type { AccountUser } from '../users/account-user';
import { lockSignedIn } from '../users/lock-user';
import { Session, User } from '../users/users.entities';
import { transactionInTurn } from '../users/turn-of-user';

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
  execute(userId: string): Promise<DeletionReceipt | null> {
    return this.over(this.dataSource.transaction((tx) => this.delete(tx, userId)));
  }

  /**
   * By its person, who has signed in just now, or gives the password.
   * @returns null when another request was first
   * @throws Unauthorized when the session has ended meanwhile; with a password InvalidCredentials, RateLimited while locked out
   */
  own(user: AccountUser, from: Origin, password?: string): Promise<DeletionReceipt | null> {
    const { userId, sessionId, email } = user;
    if (password === undefined) {
      const removed = transactionInTurn(this.dataSource, userId, async (tx) => {
        await lockSignedIn(tx, user);
        return this.delete(tx, userId);
      });
      return this.over(removed);
    }
    const attempt = { userId, sessionId, email, password, from };
    return this.over(this.lockout.confirm(attempt, (confirmed) => confirmed((tx) => this.delete(tx, userId))));
  }

  private async over(removed: Promise<DeletionReceipt | null>): Promise<DeletionReceipt | null> {
    const receipt = await removed;
    this.crash.pass('after_commit');
    return receipt;
  }

  private async delete(tx: EntityManager, userId: string): Promise<DeletionReceipt | null> {
    const deletedAt = this.clock.now();
    const where = { id: userId, deletedAt: IsNull() };
    const user = await tx.findOne(User, { where, lock: { mode: 'pessimistic_write' } });
    if (!user) return null;
    const emailKey = user.emailKey!;
    const receiptId = uuidv7(deletedAt);
    const data = { userId, receiptId, deletedAt: deletedAt.toISOString() };
    const forgotten = { email: null, emailKey: null, passwordHash: null, displayName: null, timezone: null };
    await tx.update(User, { id: userId }, { deletedAt, ...forgotten, changeNumber: () => 'change_number + 1' });
    await tx.update(Session, { userId, revokedAt: IsNull() }, { revokedAt: deletedAt });
    // Waiting mails and links have their address.
    await tx.delete(Mail, { userId });
    await tx.delete(MailToken, { userId });
    // One that is being answered waits for this user, and goes with its answer.
    const lock = { mode: 'pessimistic_write', onLocked: 'skip_locked' } as const;
    await tx.remove(await tx.find(ResetRequest, { where: { emailKey }, lock }));
    await this.lockout.forget(tx, emailKey);
    await tx.query(`INSERT INTO deletion_receipts (id, deleted_at) VALUES ($1, $2)`, [receiptId, deletedAt]);
    await announce(tx, UserDeleted, { key: userId, subject: userId, occurredAt: deletedAt, data });
    this.crash.pass('before_commit');
    return { receiptId, erasedBy: new Date(deletedAt.getTime() + ERASED_WITHIN_MS) };
  }
}

const EVERY_MS = 60_000;
const WITHIN_MS = 20_000;
/** One statement stays short, whatever somebody has logged in ten years. */
const SLICE = 2_500;

/** The rows of a person, in the order in which they go; the row of the user is the last. */
const ERASED = ['habit_logs', 'insights', 'deletions', 'habits', 'security_events', 'usage_months'];

/** Erases what deleted accounts have left, slice by slice: a process that dies in the middle has only begun. */
@Injectable()
export class EraseAccounts extends BackgroundWorker {
  protected readonly jobs: readonly WorkerJob[] = [
    { name: 'erase_accounts', everyMs: EVERY_MS, withinMs: WITHIN_MS, run: (isLate) => this.runOnce(isLate) },
  ];

  constructor(
    private readonly dataSource: DataSource,
    private readonly crash: ProcessCrash,
  ) {
    super();
  }

  /** @returns whether there is more to erase */
  async runOnce(isLate: () => boolean = () => false): Promise<boolean> {
    for (;;) {
      const { manager } = this.dataSource;
      const deleted = { where: { deletedAt: Not(IsNull()) }, order: { deletedAt: 'ASC' } } as const;
      const user = await manager.findOne(User, { ...deleted, select: { id: true, deletedAt: true } });
      if (!user) return false;
      for (const table of ERASED) {
        while ((await this.eraseSlice(table, user.id)) === SLICE) if (isLate()) return true;
        this.crash.pass('erased_half');
      }
      await this.dataSource.query(`DELETE FROM entitlements WHERE user_id = $1`, [user.id]);
      await manager.delete(User, { id: user.id, deletedAt: Not(IsNull()) });
      if (isLate()) return true;
    }
  }

  /** Of tables of any kind: no row is read. */
  private async eraseSlice(table: string, userId: string): Promise<number> {
    const [, count] = await this.dataSource.query<[unknown, number]>(
      `DELETE FROM ${table} WHERE user_id = $1 AND ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE user_id = $1 LIMIT ${SLICE}))`,
      [userId],
    );
    return count;
  }
}
