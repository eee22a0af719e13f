import { together } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { mailAddressKey } from '../security/mail-address';
import { MailTokens } from './mail-tokens';
import { PostMail } from './post-mail';

/**
 * What every change of a password brings along: a notice, and the end of links that somebody else may have asked for. In the
 * transaction of the change, which has locked the row of the user.
 */
@Injectable()
export class TellPasswordChanged {
  constructor(
    private readonly postMail: PostMail,
    private readonly tokens: MailTokens,
  ) {}

  async execute(tx: EntityManager, userId: string): Promise<void> {
    const [[user], awaited] = await together([
      tx.query<{ email: string }[]>('SELECT email FROM users WHERE id = $1 AND deleted_at IS NULL', [userId]),
      this.tokens.awaited(tx, userId),
      this.tokens.end(tx, userId, 'reset'),
    ]);
    // Deleted meanwhile: there is nobody to tell.
    if (!user) return;
    const { email } = user;
    await together([
      // A change of address that is under way may be that of somebody who knew the old password.
      awaited !== undefined &&
        mailAddressKey(awaited) !== mailAddressKey(email) &&
        this.tokens.end(tx, userId, 'verify'),
      this.postMail.notice(tx, 'password_changed', { userId, email }),
    ]);
  }
}
