import { Injectable } from '@nestjs/common';
import { TellPasswordChanged } from '../mails/post-mail';
import { Lockout } from '../security/lockout';
import type { Origin } from '../security/mail-address';
import { Passwords } from '../security/passwords';
import { SecurityEvents } from '../security/security-events';
import { EndSessions } from '../sessions/end-sessions';
import type { AccountUser } from '../users/account-user';

export interface PasswordChange {
  currentPassword: string;
  newPassword: string;
}

/** Gives an account another password. All other sessions end. */
@Injectable()
export class ChangePassword {
  constructor(
    private readonly passwords: Passwords,
    private readonly lockout: Lockout,
    private readonly endSessions: EndSessions,
    private readonly events: SecurityEvents,
    private readonly tellPasswordChanged: TellPasswordChanged,
  ) {}

  /** @throws InvalidCredentials, also when another request has changed it meanwhile; Unauthorized, RateLimited, PasswordBreached */
  execute(user: AccountUser, { currentPassword, newPassword }: PasswordChange, from: Origin): Promise<void> {
    const { userId, sessionId, email } = user;
    return this.lockout.confirm({ userId, sessionId, email, password: currentPassword, from }, async (confirmed) => {
      const passwordHash = await this.passwords.hashOfNew(newPassword, email);
      await confirmed(async (tx) => {
        await this.passwords.set(tx, userId, passwordHash);
        await this.endSessions.execute(tx, userId, { except: sessionId });
        await this.tellPasswordChanged.execute(tx, userId);
        await this.events.record(tx, { kind: 'password_changed', userId, sessionId, network: from.network });
      });
    });
  }
}
