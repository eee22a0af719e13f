import { Clock, uuidv7 } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { IsNull, type EntityManager, DataSource } from 'typeorm';
import { AccountsConfig } from '../accounts.config';
import { mailAddressKey, triedAddressKey } from '../security/mail-address';
import { User } from '../users/users.entities';
import type { MailKind } from './mail-texts';
import { MailTokens, type ProvenAddress } from './mail-tokens';
import { Mail, ResetRequest } from './mails.entities';

type LinkKind = 'verify' | 'change' | 'reset';

/**
 * Writes mails into the transaction of the change that they are about; the worker sends them. The caller has locked the row
 * of the user, or has just written it.
 */
@Injectable()
export class PostMail {
  constructor(
    private readonly config: AccountsConfig,
    private readonly clock: Clock,
    private readonly tokens: MailTokens,
  ) {}

  /**
   * With a link, which ends the older one of its kind.
   * @param asked somebody asked for it, and may have it (`askedSince`); the first of an account is sent by itself
   */
  async link(tx: EntityManager, kind: LinkKind, to: ProvenAddress, asked = true): Promise<void> {
    const id = uuidv7(this.clock.now());
    await this.tokens.issue(tx, { id, kind: kind === 'reset' ? 'reset' : 'verify', ...to, asked });
    await this.write(tx, kind, to, id);
  }

  async changeNotice(tx: EntityManager, to: ProvenAddress): Promise<void> {
    await this.write(tx, 'change_notice', to, null);
  }

  /** A changed password: a notice, and the end of links that somebody else may have requested. */
  async passwordChanged(tx: EntityManager, userId: string): Promise<void> {
    const email = (await tx.findOneBy(User, { id: userId, deletedAt: IsNull() }))?.email;
    await this.tokens.end(tx, userId, 'reset');
    // Deleted meanwhile: there is nobody to tell.
    if (!email) return;
    const awaited = await this.tokens.awaited(tx, userId);
    if (awaited !== undefined && mailAddressKey(awaited) !== mailAddressKey(email)) {
      // A change of address that is under way may be that of somebody who knew the old password.
      await this.tokens.end(tx, userId, 'verify');
    }
    await this.write(tx, 'password_changed', { userId, email }, null);
  }

  private async write(tx: EntityManager, kind: MailKind, to: ProvenAddress, tokenId: string | null): Promise<void> {
    if (this.config.SMTP_URL === 'none') return;
    const now = this.clock.now();
    const of = { id: uuidv7(now), userId: to.userId, kind, recipient: to.email, tokenId };
    await tx.insert(Mail, { ...of, createdAt: now, sendAt: now });
  }
}

/**
 * Forgotten passwords. A request stores the address, whether an account has it or not, and is answered; the worker looks
 * whether there is one. So the answer takes the same time for every address.
 */
@Injectable()
export class ResetRequests {
  constructor(
    private readonly dataSource: DataSource,
    private readonly clock: Clock,
    private readonly postMail: PostMail,
    private readonly tokens: MailTokens,
  ) {}

  async add(email: string): Promise<void> {
    const now = this.clock.now();
    const request = { id: uuidv7(now), emailKey: triedAddressKey(email), askedAt: now };
    await this.dataSource.manager.insert(ResetRequest, request);
  }

  /** @returns whether more may wait */
  async answerAll(isLate: () => boolean): Promise<boolean> {
    // Looked for by itself: most looks find nothing, and need no transaction.
    if (!(await this.dataSource.manager.exists(ResetRequest))) return false;
    while (!isLate()) if (!(await this.dataSource.transaction((tx) => this.answerNext(tx)))) return false;
    return true;
  }

  /** @returns whether there was one */
  private async answerNext(tx: EntityManager): Promise<boolean> {
    const lock = { mode: 'pessimistic_write', onLocked: 'skip_locked' } as const;
    const [request] = await tx.find(ResetRequest, { order: { askedAt: 'ASC' }, take: 1, lock });
    if (!request) return false;
    await tx.delete(ResetRequest, { id: request.id });
    const where = { emailKey: request.emailKey, deletedAt: IsNull() };
    const user = await tx.findOne(User, { where, lock: { mode: 'for_no_key_update' } });
    if (user?.email && (await this.tokens.askedSince(tx, user.id, 'reset')) === null)
      await this.postMail.link(tx, 'reset', { userId: user.id, email: user.email });
    return true;
  }
}
