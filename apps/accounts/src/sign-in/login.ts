import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Lockout } from '../security/lockout';
import { InvalidCredentials, Passwords } from '../security/passwords';
import { StartSession, type Device } from '../sessions/start-session';
import type { SignedInView } from '../sessions/token-views';
import { USER_COLUMNS, type AccountUser } from '../users/account-user';
import { lockUser } from '../users/lock-user';

type StoredUser = Omit<AccountUser, 'sessionId' | 'signedInAt'> & { passwordHash: string };

const FIND = `
  SELECT ${USER_COLUMNS}, u.password_hash AS "passwordHash"
  FROM users u LEFT JOIN entitlements e ON e.user_id = u.id WHERE u.email_key = $1`;

/** Signs somebody in by address and password. */
@Injectable()
export class Login {
  constructor(
    private readonly dataSource: DataSource,
    private readonly passwords: Passwords,
    private readonly lockout: Lockout,
    private readonly startSession: StartSession,
  ) {}

  /** @throws InvalidCredentials or RateLimited, the same for an unknown address as for a wrong password */
  async execute({ email, password }: { email: string; password: string }, device: Device): Promise<SignedInView> {
    const { network } = device;
    const [user] = await this.dataSource.query<StoredUser[]>(FIND, [email.trim().toLowerCase()]);
    const isRight = await this.lockout.attempt({ email, network, userId: user?.userId ?? null }, () =>
      this.passwords.matches(password, user?.passwordHash ?? null),
    );
    if (!user || !isRight) throw new InvalidCredentials();
    const passwordBreached = await this.passwords.isBreached(password);
    const renewed = this.passwords.isOutdated(user.passwordHash) ? await this.passwords.hashOf(password) : null;
    return this.dataSource.transaction(async (tx) => {
      const locked = await lockUser(tx, user.userId);
      // Changed while it was compared: then this one is wrong by now.
      if (locked?.passwordHash !== user.passwordHash) throw new InvalidCredentials();
      if (renewed !== null || passwordBreached !== user.passwordBreached) {
        await tx.query(
          `UPDATE users SET password_hash = coalesce($2, password_hash), password_breached = $3 WHERE id = $1`,
          [user.userId, renewed, passwordBreached],
        );
      }
      return this.startSession.execute(tx, { ...user, passwordBreached }, device, 'sign_in');
    });
  }
}
