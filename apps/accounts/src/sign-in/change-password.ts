import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { TellPasswordChanged } from '../mails/tell-password-changed';
import { Lockout } from '../security/lockout';
import { InvalidCredentials, Passwords } from '../security/passwords';
import { SecurityEvents } from '../security/security-events';
import { EndSessions } from '../sessions/end-sessions';
import type { AccountUser } from '../users/account-user';
import { lockUser } from '../users/lock-user';

export interface PasswordChange {
  currentPassword: string;
  newPassword: string;
}

/** Gives an account another password. All other sessions end. */
@Injectable()
export class ChangePassword {
  constructor(
    private readonly dataSource: DataSource,
    private readonly passwords: Passwords,
    private readonly lockout: Lockout,
    private readonly endSessions: EndSessions,
    private readonly events: SecurityEvents,
    private readonly tellPasswordChanged: TellPasswordChanged,
  ) {}

  /**
   * @param network shortened address of the caller
   * @throws InvalidCredentials, RateLimited, PasswordBreached
   */
  async execute(user: AccountUser, { currentPassword, newPassword }: PasswordChange, network: string): Promise<void> {
    const { userId, sessionId, email } = user;
    const stored = await this.storedHash(userId);
    const isRight = await this.lockout.attempt({ email, network, userId }, () =>
      this.passwords.matches(currentPassword, stored),
    );
    if (!isRight) throw new InvalidCredentials();
    const passwordHash = await this.passwords.hashOfNew(newPassword);
    await this.dataSource.transaction(async (tx) => {
      const locked = await lockUser(tx, userId);
      // Changed by another request meanwhile: then what was sent as the current one is it no more.
      if (locked?.passwordHash !== stored) throw new InvalidCredentials();
      await tx.query(`UPDATE users SET password_hash = $2, password_breached = false WHERE id = $1`, [
        userId,
        passwordHash,
      ]);
      await this.endSessions.execute(tx, userId, { except: sessionId });
      await this.tellPasswordChanged.execute(tx, userId);
      await this.events.record(tx, { kind: 'password_changed', userId, sessionId, network });
    });
  }

  private async storedHash(userId: string): Promise<string | null> {
    const [user] = await this.dataSource.query<{ hash: string | null }[]>(
      `SELECT password_hash AS hash FROM users WHERE id = $1`,
      [userId],
    );
    return user?.hash ?? null;
  }
}
