import { together } from '@evenkeel/platform/persistence';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { MailTokens } from '../mails/mail-tokens';
import { PostMail } from '../mails/post-mail';
import { Lockout } from '../security/lockout';
import type { AccountUser } from '../users/account-user';

export interface NewAddress {
  email: string;
  password: string;
}

interface OwnAddress {
  email: string;
  verified: boolean;
}

/** Sends links that confirm an address, the account's own or a new one. Nothing changes before such a link is used. */
@Injectable()
export class AskForVerification {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lockout: Lockout,
    private readonly postMail: PostMail,
    private readonly tokens: MailTokens,
  ) {}

  /** Once more to the address that waits for it: the new one while a change is under way. None waits: nothing is sent. */
  async again(userId: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const [own, mayAsk, awaited] = await together([
        lock(tx, userId),
        this.tokens.mayAsk(tx, userId),
        this.tokens.awaited(tx, userId),
      ]);
      if (!own || !mayAsk) return;
      const email = awaited ?? (own.verified ? undefined : own.email);
      if (email === undefined) return;
      await this.postMail.asked(tx, isSame(email, own) ? 'verify' : 'change', { userId, email });
    });
  }

  /**
   * To a new address, with a notice to the old one.
   * @param network shortened address of the caller
   * @throws InvalidCredentials for a wrong password, which counts for the lockout; RateLimited
   */
  change({ userId, email: present }: AccountUser, { email, password }: NewAddress, network: string): Promise<void> {
    return this.lockout.confirm({ userId, email: present, password, network }, (_, forget) =>
      this.dataSource.transaction(async (tx) => {
        const [own, mayAsk] = await together([lock(tx, userId), this.tokens.mayAsk(tx, userId), forget(tx)]);
        if (!own || !mayAsk || (own.verified && own.email === email)) return;
        const isNew = !isSame(email, own);
        await together([
          this.postMail.asked(tx, isNew ? 'change' : 'verify', { userId, email }),
          isNew && this.postMail.notice(tx, 'change_notice', { userId, email: own.email }),
        ]);
      }),
    );
  }
}

/** @returns undefined when the account is deleted */
async function lock(tx: EntityManager, userId: string): Promise<OwnAddress | undefined> {
  const [own] = await tx.query<OwnAddress[]>(
    `SELECT email, email_verified_at IS NOT NULL AS verified FROM users WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`,
    [userId],
  );
  return own;
}

function isSame(email: string, own: OwnAddress): boolean {
  return email.toLowerCase() === own.email.toLowerCase();
}
