import { UserVerified } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { announce } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import { DataSource, QueryFailedError, type EntityManager } from 'typeorm';
import { InvalidToken, MailTokens, type ProvenAddress } from '../mails/mail-tokens';
import { PostMail } from '../mails/post-mail';
import { Lockout } from '../security/lockout';
import { mailAddressKey, triedAddressKey, type Origin } from '../security/mail-address';
import { Passwords } from '../security/passwords';
import { SecurityEvents } from '../security/security-events';
import { EmailAlreadyRegistered, ReplacePassword } from '../sign-in/sign-in';
import type { AccountUser } from '../users/account-user';
import { lockSignedIn } from '../users/lock-user';
import { transactionInTurn } from '../users/turn-of-user';
import { User, type LiveUser } from '../users/users.entities';

/** Sets a new password for those who read the mails of an account, and ends its sessions. */
@Injectable()
export class ResetPassword {
  constructor(
    private readonly dataSource: DataSource,
    private readonly tokens: MailTokens,
    private readonly passwords: Passwords,
    private readonly lockout: Lockout,
    private readonly replacing: ReplacePassword,
  ) {}

  /**
   * @param network shortened address of the caller
   * @throws InvalidToken, PasswordBreached, RateLimited; a password that is refused leaves the token as it is
   */
  async execute({ token, password }: { token: string; password: string }, network: string): Promise<void> {
    const found = await this.tokens.find(this.dataSource.manager, 'reset', token);
    if (!found) throw new InvalidToken();
    const passwordHash = await this.passwords.hashOfNew(password, found.email);
    await transactionInTurn(this.dataSource, found.userId, async (tx) => {
      const { userId, email } = await this.tokens.use(tx, 'reset', token);
      // A stranger who locked them out by guessing does so no longer.
      await this.lockout.forget(tx, email);
      await this.replacing.replace(tx, userId, passwordHash, { all: true }, { kind: 'password_reset', network });
    });
  }
}

const UNIQUE_VIOLATION = '23505';

/** Links that confirm an address, the account's own or a new one. Nothing changes before such a link is used. */
@Injectable()
export class MailAddresses {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly lockout: Lockout,
    private readonly postMail: PostMail,
    private readonly tokens: MailTokens,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * Once more to the address that waits for it: the new one while a change is under way. None waits: nothing is sent.
   * @throws Unauthorized when the session has ended meanwhile, RateLimited
   */
  async askAgain(user: AccountUser): Promise<void> {
    const { userId } = user;
    await transactionInTurn(this.dataSource, userId, async (tx) => {
      const own = await lockSignedIn(tx, user);
      const email = (await this.tokens.awaited(tx, userId)) ?? (own.emailVerifiedAt ? undefined : own.email);
      if (email === undefined) return;
      await this.tokens.assertMayAsk(tx, userId);
      await this.postMail.link(tx, isSame(email, own) ? 'verify' : 'change', { userId, email });
    });
  }

  /**
   * To a new address, with a notice to the old one.
   * @throws InvalidCredentials for a wrong password, which is a failure for the lockout; Unauthorized, RateLimited
   */
  askForChange(
    { userId, sessionId, email: present }: AccountUser,
    { email, password }: { email: string; password: string },
    from: Origin,
  ): Promise<void> {
    return this.lockout.confirm({ userId, sessionId, email: present, password, from }, (confirmed) =>
      confirmed(async (tx, own) => {
        // They stay with it: a change that is under way was a mistake.
        if (own.emailVerifiedAt && own.email === email) return this.tokens.end(tx, userId, 'verify');
        await this.tokens.assertMayAsk(tx, userId);
        const isNew = !isSame(email, own);
        await this.postMail.link(tx, isNew ? 'change' : 'verify', { userId, email });
        if (isNew) await this.postMail.changeNotice(tx, { userId, email: own.email });
      }),
    );
  }

  /**
   * Confirms the address that a mail went to; of a change of address it becomes that of the account now.
   * @param network shortened address of the caller
   * @throws InvalidToken, EmailAlreadyRegistered when another account has taken the new address meanwhile
   */
  async verify(token: string, network: string): Promise<void> {
    const found = await this.tokens.find(this.dataSource.manager, 'verify', token);
    if (!found) throw new InvalidToken();
    await transactionInTurn(this.dataSource, found.userId, async (tx) => {
      const { userId, email } = await this.tokens.use(tx, 'verify', token);
      const before = await tx.findOneByOrFail(User, { id: userId });
      await this.moveTo(tx, { userId, email });
      if (before.emailKey !== triedAddressKey(email)) {
        // A link to choose a password went to the old address.
        await this.tokens.end(tx, userId, 'reset');
        await this.events.record(tx, { kind: 'email_changed', userId, network });
      }
      if (before.emailVerifiedAt) return;
      const now = this.clock.now();
      const data = { userId, verifiedAt: now.toISOString() };
      await announce(tx, UserVerified, { key: userId, subject: userId, occurredAt: now, data });
    });
  }

  private async moveTo(tx: EntityManager, { userId, email }: ProvenAddress): Promise<void> {
    try {
      const address = { email, emailKey: triedAddressKey(email), emailVerifiedAt: this.clock.now() };
      await tx.update(User, { id: userId }, address);
    } catch (error) {
      const { code } = Object(error instanceof QueryFailedError && error.driverError) as { code?: unknown };
      throw code === UNIQUE_VIOLATION ? new EmailAlreadyRegistered() : error;
    }
  }
}

function isSame(email: string, own: LiveUser): boolean {
  return mailAddressKey(email) === mailAddressKey(own.email);
}
