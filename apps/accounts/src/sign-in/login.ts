import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Forget, Lockout } from '../security/lockout';
import { triedAddressKey } from '../security/mail-address';
import { InvalidCredentials, Passwords } from '../security/passwords';
import { StartSession, type Device } from '../sessions/start-session';
import type { SignedInView } from '../sessions/token-views';
import { USER_COLUMNS, type AccountUser } from '../users/account-user';
import { lockUser } from '../users/lock-user';
import { User } from '../users/users.entities';

type StoredUser = Omit<AccountUser, 'sessionId' | 'signedInAt'> & { passwordHash: string };

const COLUMNS = Object.entries(USER_COLUMNS).map(([member, column]) => `${column} AS "${member}"`);
const FIND = `
  SELECT ${COLUMNS.join(', ')}, u.password_hash AS "passwordHash"
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
  execute({ email, password }: { email: string; password: string }, device: Device): Promise<SignedInView> {
    const find = (tx: EntityManager) => tx.query<StoredUser[]>(FIND, [triedAddressKey(email)]);
    return this.lockout.attempt({ email, password, from: device }, find, (user, forget) =>
      this.signIn(user, password, device, forget),
    );
  }

  private async signIn(user: StoredUser, password: string, device: Device, forget: Forget): Promise<SignedInView> {
    const { userId, passwordHash } = user;
    const passwordBreached = await this.passwords.isBreached(password, user.email);
    const renewed = this.passwords.isOutdated(passwordHash) ? await this.passwords.hashOf(password) : passwordHash;
    const isChanged = renewed !== passwordHash || passwordBreached !== user.passwordBreached;
    return this.dataSource.transaction(async (tx) => {
      const locked = await lockUser(tx, userId);
      // Changed while it was compared: then this one is wrong by now.
      if (locked?.passwordHash !== passwordHash) throw new InvalidCredentials();
      await forget(tx);
      if (isChanged) await tx.update(User, { id: userId }, { passwordHash: renewed, passwordBreached });
      return this.startSession.execute(tx, { ...user, passwordBreached }, device, 'sign_in');
    });
  }
}
