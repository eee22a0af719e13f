import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { MailTokens } from '../mails/mail-tokens';
import { PostMail } from '../mails/post-mail';
import { Lockout } from '../security/lockout';
import { InvalidCredentials, Passwords } from '../security/passwords';
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
    private readonly passwords: Passwords,
    private readonly lockout: Lockout,
    private readonly postMail: PostMail,
    private readonly tokens: MailTokens,
  ) {}

  /** Once more to the address that waits for it: the new one while a change is under way. None waits: nothing is sent. */
  async again(userId: string): Promise<void> {
    await this.dataSource.transaction(async (tx) => {
      const own = await lock(tx, userId);
      if (!own) return;
      const email = (await this.tokens.awaited(tx, userId)) ?? (own.verified ? undefined : own.email);
      if (email === undefined) return;
      await this.postMail.asked(tx, isSame(email, own) ? 'verify' : 'change', { userId, email });
    });
  }

  /**
   * To a new address, with a notice to the old one.
   * @param network shortened address of the caller
   * @throws InvalidCredentials for a wrong password, which counts for the lockout; RateLimited
   */
  async change(
    { userId, email: present }: AccountUser,
    { email, password }: NewAddress,
    network: string,
  ): Promise<void> {
    const [stored] = await this.dataSource.query<{ hash: string }[]>(
      'SELECT password_hash AS hash FROM users WHERE id = $1 AND deleted_at IS NULL',
      [userId],
    );
    const isRight = await this.lockout.attempt({ email: present, network, userId }, () =>
      this.passwords.matches(password, stored?.hash ?? null),
    );
    if (!isRight) throw new InvalidCredentials();
    await this.dataSource.transaction(async (tx) => {
      const own = await lock(tx, userId);
      if (!own || (own.verified && own.email === email)) return;
      const isNew = !isSame(email, own);
      const written = await this.postMail.asked(tx, isNew ? 'change' : 'verify', { userId, email });
      if (written && isNew) await this.postMail.notice(tx, 'change_notice', { userId, email: own.email });
    });
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
