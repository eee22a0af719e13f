import { UserRegistered } from '@evenkeel/contracts';
import { Clock, DomainError, uuidv7 } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { announce } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import type { CrashPoint } from '../accounts.config';
import { PostMail } from '../mails/post-mail';
import { type Forget, Lockout } from '../security/lockout';
import { mailAddressKey, triedAddressKey, type Origin } from '../security/mail-address';
import { Passwords, InvalidCredentials } from '../security/passwords';
import { SecurityEvents, type SecurityEvent } from '../security/security-events';
import { EndSessions, type Ending } from '../sessions/end-sessions';
import { StartSession, type Device } from '../sessions/start-session';
import type { SignedInView } from '../sessions/token-views';
import { USER_COLUMNS, type AccountUser } from '../users/account-user';
import { lockUser } from '../users/lock-user';
import type { ChangePasswordBody, LoginBody, RegisterBody } from './credentials.dto';
import { User } from '../users/users.entities';
import { transactionInTurn } from '../users/turn-of-user';

export class EmailAlreadyRegistered extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'email_already_registered';
  constructor() {
    super('There is an account with this address. Sign in, or ask for a new password.');
  }
}

/** Makes an account and signs its person in. */
@Injectable()
export class Register {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly passwords: Passwords,
    private readonly startSession: StartSession,
    private readonly postMail: PostMail,
    private readonly crash: ProcessCrash<CrashPoint>,
  ) {}

  /** @throws EmailAlreadyRegistered, PasswordBreached, RateLimited when too many passwords are being hashed */
  async execute({ email, password, ...profile }: RegisterBody, device: Device): Promise<SignedInView> {
    const passwordHash = await this.passwords.hashOfNew(password, email);
    const answer = await this.dataSource.transaction(async (tx) => {
      const now = this.clock.now();
      const userId = uuidv7(now);
      const { displayName = null, timezone = null, locale = 'en' } = profile;
      const profileOf = { displayName, timezone, locale, createdAt: now };
      const row = { id: userId, email, emailKey: mailAddressKey(email), passwordHash, ...profileOf };
      // No statement fails: what PostgreSQL would say of it names the address.
      const inserting = tx.createQueryBuilder().insert().into(User).values(row).orIgnore().returning('id');
      const { raw: inserted } = (await inserting.execute()) as { raw: unknown[] };
      if (inserted.length === 0) throw new EmailAlreadyRegistered();
      const data = { userId, registeredAt: now.toISOString() };
      const user = {
        userId,
        email,
        displayName,
        timezone,
        locale,
        createdAt: now.toISOString(),
        accessUntil: null,
        emailVerified: false,
        passwordBreached: false,
        dayStartMinutes: 0,
        weekStart: 'MONDAY' as const,
      };
      const signedIn = await this.startSession.execute(tx, user, device, 'registered');
      await announce(tx, UserRegistered, { key: userId, subject: userId, occurredAt: now, data });
      await this.postMail.link(tx, 'verify', { userId, email }, false);
      this.crash.pass('before_commit');
      return signedIn;
    });
    this.crash.pass('after_commit');
    return answer;
  }
}

type StoredUser = Omit<AccountUser, 'sessionId' | 'signedInAt'> & { passwordHash: string };

/** Joins the entitlement: the answer has the plan. */
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
  execute({ email, password }: LoginBody, device: Device): Promise<SignedInView> {
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
    return transactionInTurn(this.dataSource, userId, async (tx) => {
      const locked = await lockUser(tx, userId);
      // Changed while it was compared: then this one is wrong by now.
      if (locked?.passwordHash !== passwordHash) throw new InvalidCredentials();
      await forget(tx);
      if (isChanged) await tx.update(User, { id: userId }, { passwordHash: renewed, passwordBreached });
      return this.startSession.execute(tx, { ...user, passwordBreached }, device, 'sign_in');
    });
  }
}

type Replaced = Pick<SecurityEvent, 'kind' | 'sessionId' | 'network'>;

/** Sets a new password, with all that follows from it: for those who know the old one, or read the mails of the account. */
@Injectable()
export class ReplacePassword {
  constructor(
    private readonly passwords: Passwords,
    private readonly lockout: Lockout,
    private readonly ending: EndSessions,
    private readonly postMail: PostMail,
    private readonly events: SecurityEvents,
  ) {}

  /**
   * For somebody who knows the old one. All their other sessions end.
   * @throws InvalidCredentials, also when another request has changed it meanwhile; Unauthorized, RateLimited, PasswordBreached
   */
  change(user: AccountUser, { currentPassword, newPassword }: ChangePasswordBody, from: Origin): Promise<void> {
    const { userId, sessionId, email } = user;
    return this.lockout.confirm({ userId, sessionId, email, password: currentPassword, from }, async (confirmed) => {
      const passwordHash = await this.passwords.hashOfNew(newPassword, email);
      const event = { kind: 'password_changed', sessionId, network: from.network } as const;
      await confirmed((tx) => this.replace(tx, userId, passwordHash, { except: sessionId }, event));
    });
  }

  /**
   * @param tx has locked the row of the user
   * @param ending of the sessions that the old password has opened
   */
  async replace(
    tx: EntityManager,
    userId: string,
    passwordHash: string,
    ending: Ending,
    event: Replaced,
  ): Promise<void> {
    await tx.update(User, { id: userId, deletedAt: IsNull() }, { passwordHash, passwordBreached: false });
    await this.ending.execute(tx, userId, ending);
    await this.postMail.passwordChanged(tx, userId);
    await this.events.record(tx, { userId, ...event });
  }
}
