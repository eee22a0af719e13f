import { together } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { TellPasswordChanged } from '../mails/tell-password-changed';
import { Lockout } from '../security/lockout';
import type { Origin } from '../security/origin';
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
      await confirmed((tx) =>
        together([
          this.passwords.set(tx, userId, passwordHash),
          this.endSessions.execute(tx, userId, { except: sessionId }),
          this.tellPasswordChanged.execute(tx, userId),
          this.events.record(tx, { kind: 'password_changed', userId, sessionId, network: from.network }),
        ]),
      );
    });
  }
}
