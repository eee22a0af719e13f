import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { InvalidToken, MailTokens } from '../mails/mail-tokens';
import { TellPasswordChanged } from '../mails/post-mail';
import { Lockout } from '../security/lockout';
import { Passwords } from '../security/passwords';
import { SecurityEvents } from '../security/security-events';
import { EndSessions } from '../sessions/end-sessions';

/** Sets a new password for those who read the mails of an account, and ends its sessions. */
@Injectable()
export class ResetPassword {
  constructor(
    private readonly dataSource: DataSource,
    private readonly tokens: MailTokens,
    private readonly passwords: Passwords,
    private readonly lockout: Lockout,
    private readonly endSessions: EndSessions,
    private readonly tellPasswordChanged: TellPasswordChanged,
    private readonly events: SecurityEvents,
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
      await this.passwords.set(tx, userId, passwordHash);
      // A stranger who locked them out by guessing does so no longer.
      await this.lockout.forget(tx, email);
      await this.endSessions.execute(tx, userId, { all: true });
      await this.tellPasswordChanged.execute(tx, userId);
      await this.events.record(tx, { kind: 'password_reset', userId, network });
    });
  }
}
