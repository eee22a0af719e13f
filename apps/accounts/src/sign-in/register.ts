import { UserRegistered } from '@evenkeel/contracts';
import { Clock, DomainError, uuidv7 } from '@evenkeel/kernel';
import { ProcessCrash } from '@evenkeel/platform/config';
import { announce } from '@evenkeel/platform/messaging';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { CrashPoint } from '../accounts.config';
import { PostMail } from '../mails/post-mail';
import { mailAddressKey } from '../security/mail-address';
import { Passwords } from '../security/passwords';
import { StartSession, type Device } from '../sessions/start-session';
import type { SignedInView } from '../sessions/token-views';
import { User } from '../users/users.entities';

export class EmailAlreadyRegistered extends DomainError {
  readonly kind = 'conflict';
  readonly code = 'email_already_registered';
  constructor() {
    super('There is an account with this address. Sign in, or ask for a new password.');
  }
}

export interface NewUser {
  /** As typed, and checked (`MailAddress`). */
  email: string;
  password: string;
  displayName?: string;
  timezone?: string;
  locale?: string;
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
  async execute({ email, password, ...profile }: NewUser, device: Device): Promise<SignedInView> {
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
        ...{ userId, email, displayName, timezone, locale, createdAt: now.toISOString(), accessUntil: null },
        ...{ emailVerified: false, passwordBreached: false, dayStartMinutes: 0, weekStart: 'MONDAY' as const },
      };
      const signedIn = await this.startSession.execute(tx, user, device, 'registered');
      await announce(tx, UserRegistered, { key: userId, subject: userId, occurredAt: now, data });
      await this.postMail.verification(tx, { userId, email });
      this.crash.pass('before_commit');
      return signedIn;
    });
    this.crash.pass('after_commit');
    return answer;
  }
}
