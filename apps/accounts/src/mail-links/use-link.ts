import { Injectable } from '@nestjs/common';
import { DataSource, QueryFailedError, type EntityManager } from 'typeorm';
import { UserVerified } from '@evenkeel/contracts';
import { Clock } from '@evenkeel/kernel';
import { announce } from '@evenkeel/platform/messaging';
import { InvalidToken, MailTokens, type ProvenAddress } from '../mails/mail-tokens';
import { Lockout } from '../security/lockout';
import { Passwords } from '../security/passwords';
import { SecurityEvents } from '../security/security-events';
import { triedAddressKey } from '../security/mail-address';
import { EmailAlreadyRegistered, ReplacePassword } from '../sign-in/sign-in';
import { User } from '../users/users.entities';

/** Sets a new password for those who read the mails of an account, and ends its sessions. */
@Injectable()
export class ResetPassword {
  constructor(
    private readonly dataSource: DataSource,
    private readonly tokens: MailTokens,
    private readonly passwords: Passwords,
    private readonly lockout: Lockout,
    private readonly replacePassword: ReplacePassword,
  ) {}

  /**
   * @param network shortened address of the caller
   * @throws InvalidToken, PasswordBreached, RateLimited; a password that is refused leaves the token as it is
   */
  async execute({ token, password }: { token: string; password: string }, network: string): Promise<void> {
    const found = await this.tokens.find(this.dataSource.manager, 'reset', token);
    if (!found) throw new InvalidToken();
    const passwordHash = await this.passwords.hashOfNew(password, found.email);
    await this.dataSource.transaction(async (tx) => {
      const { userId, email } = await this.tokens.use(tx, 'reset', token);
      // A stranger who locked them out by guessing does so no longer.
      await this.lockout.forget(tx, email);
      await this.replacePassword.execute(tx, userId, passwordHash, { all: true }, { kind: 'password_reset', network });
    });
  }
}

const UNIQUE_VIOLATION = '23505';

/** Confirms the address that a mail went to; of a change of address it becomes that of the account now. */
@Injectable()
export class VerifyEmail {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly tokens: MailTokens,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * @param network shortened address of the caller
   * @throws InvalidToken, EmailAlreadyRegistered when another account has taken the new address meanwhile
   */
  async execute(token: string, network: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
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
