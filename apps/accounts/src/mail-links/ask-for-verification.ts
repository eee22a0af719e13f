import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { MailTokens } from '../mails/mail-tokens';
import { PostMail } from '../mails/post-mail';
import { Lockout } from '../security/lockout';
import { mailAddressKey, type Origin } from '../security/mail-address';
import type { AccountUser } from '../users/account-user';
import { lockSignedIn } from '../users/lock-user';
import type { ChangeEmailBody } from './email.controller';
import type { LiveUser } from '../users/users.entities';

/** Sends links that confirm an address, the account's own or a new one. Nothing changes before such a link is used. */
@Injectable()
export class AskForVerification {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lockout: Lockout,
    private readonly postMail: PostMail,
    private readonly tokens: MailTokens,
  ) {}

  /**
   * Once more to the address that waits for it: the new one while a change is under way. None waits: nothing is sent.
   * @throws Unauthorized when the session has ended meanwhile, RateLimited
   */
  async again(user: AccountUser): Promise<void> {
    const { userId } = user;
    await this.dataSource.transaction(async (tx) => {
      const own = await lockSignedIn(tx, user);
      const email = (await this.tokens.awaited(tx, userId)) ?? (own.emailVerifiedAt ? undefined : own.email);
      if (email === undefined) return;
      await this.tokens.assertMayAsk(tx, userId);
      await this.postMail.link(tx, isSame(email, own) ? 'verify' : 'change', { userId, email });
    });
  }

  /**
   * To a new address, with a notice to the old one.
   * @throws InvalidCredentials for a wrong password, which is a failure for the lockout; Unauthorized, RateLimited
   */
  change(user: AccountUser, { email, password }: ChangeEmailBody, from: Origin): Promise<void> {
    const { userId, sessionId, email: present } = user;
    return this.lockout.confirm({ userId, sessionId, email: present, password, from }, (confirmed) =>
      confirmed(async (tx, own) => {
        if (own.emailVerifiedAt && own.email === email) return;
        await this.tokens.assertMayAsk(tx, userId);
        const isNew = !isSame(email, own);
        await this.postMail.link(tx, isNew ? 'change' : 'verify', { userId, email });
        if (isNew) await this.postMail.changeNotice(tx, { userId, email: own.email });
      }),
    );
  }
}

function isSame(email: string, own: LiveUser): boolean {
  return mailAddressKey(email) === mailAddressKey(own.email);
}
