import { together } from '@evenkeel/platform/persistence';
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
  execute(user: AccountUser, { currentPassword, newPassword }: PasswordChange, network: string): Promise<void> {
    const { userId, sessionId, email } = user;
    return this.lockout.confirm({ userId, email, password: currentPassword, network }, async (stored, forget) => {
      const passwordHash = await this.passwords.hashOfNew(newPassword);
      await this.dataSource.transaction(async (tx) => {
        const [locked] = await together([
          lockUser(tx, userId),
          forget(tx),
          this.passwords.set(tx, userId, passwordHash),
          this.endSessions.execute(tx, userId, { except: sessionId }),
          this.tellPasswordChanged.execute(tx, userId),
          this.events.record(tx, { kind: 'password_changed', userId, sessionId, network }),
        ]);
        // Changed by another request meanwhile: then what was sent as the current one is it no more.
        if (locked?.passwordHash !== stored.passwordHash) throw new InvalidCredentials();
      });
    });
  }
}
