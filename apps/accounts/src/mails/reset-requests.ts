import { Clock, uuidv7 } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { triedAddressKey } from '../security/mail-address';
import { MailTokens, type ProvenAddress } from './mail-tokens';
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
    await this.dataSource.query('INSERT INTO reset_requests (id, email_key, asked_at) VALUES ($1, $2, $3)', [
      uuidv7(now),
      triedAddressKey(email),
      now,
    ]);
  }

  /** @returns whether more may wait */
  async answerAll(isLate: () => boolean): Promise<boolean> {
    // Looked for by itself: most looks find nothing, and need no transaction.
    const [{ waits }] = await this.dataSource.query<[{ waits: boolean }]>(
      'SELECT EXISTS (SELECT FROM reset_requests) AS waits',
    );
    if (!waits) return false;
    while (!isLate()) if (!(await this.dataSource.transaction((tx) => this.answerNext(tx)))) return false;
    return true;
  }

  /** @returns whether there was one */
  private async answerNext(tx: EntityManager): Promise<boolean> {
    const [request] = await tx.query<{ id: string; email: string }[]>(
      `SELECT id, email_key AS email FROM reset_requests ORDER BY asked_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
    );
    if (!request) return false;
    await tx.query('DELETE FROM reset_requests WHERE id = $1', [request.id]);
    const [user] = await tx.query<ProvenAddress[]>(
      `SELECT id AS "userId", email FROM users WHERE email_key = $1 AND deleted_at IS NULL FOR NO KEY UPDATE`,
      [request.email],
    );
    if (user && (await this.tokens.askedSince(tx, user.userId, 'reset')) === null)
      await this.postMail.asked(tx, 'reset', user);
    return true;
  }
}
