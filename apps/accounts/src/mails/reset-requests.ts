import { Clock, uuidv7 } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { triedAddressKey } from '../security/mail-address';
import { User } from '../users/users.entities';
import { MailTokens } from './mail-tokens';
import { ResetRequest } from './mails.entities';
import { PostMail } from './post-mail';

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
      await this.postMail.asked(tx, 'reset', { userId: user.id, email: user.email });
    return true;
  }
}
