import { Clock, DomainError } from '@evenkeel/kernel';
import { Injectable } from '@nestjs/common';
import { IsNull, LessThanOrEqual, MoreThan, type EntityManager } from 'typeorm';
import { AccountsConfig } from '../accounts.config';
import { tooOften } from '../security/lockout';
import { derivedToken, hashOfToken } from '../security/opaque-tokens';
import { lockUser } from '../users/lock-user';
import { Mail, MailToken, type TokenKind } from './mails.entities';

const KINDS = {
  verify: { prefix: 'hrv_', ttlMs: 48 * 3_600_000 },
  reset: { prefix: 'hrp_', ttlMs: 60 * 60_000 },
} as const satisfies Record<TokenKind, object>;

export class InvalidToken extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'invalid_token';
  constructor() {
    super(
      'This link was used before, a newer one is in its place, or its time is over. Use the newest mail, or ask for another.',
    );
  }
}

/** A token proves that somebody reads mails to an address. */
export interface ProvenAddress {
  userId: string;
  email: string;
}

/**
 * Single-use tokens of the links in mails. A token is derived from the id of its row, so that a mail that waits can be written
 * again, and nothing readable waits with it. The caller has locked the user.
 */
@Injectable()
export class MailTokens {
  constructor(
    private readonly config: AccountsConfig,
    private readonly clock: Clock,
  ) {}

  /** Ends the older one of its kind, with the mail that still waits for it. */
  async issue(tx: EntityManager, order: Pick<MailToken, 'id' | 'kind' | 'userId' | 'email' | 'asked'>): Promise<void> {
    const { id, kind, userId } = order;
    const now = this.clock.now();
    const [{ kid }] = this.config.refreshTokenKeys;
    const expiresAt = new Date(now.getTime() + KINDS[kind].ttlMs);
    await this.end(tx, userId, kind);
    const tokenHash = hashOfToken(this.clear(kind, id, kid)!);
    await tx.insert(MailToken, { ...order, tokenHash, keyId: kid, createdAt: now, expiresAt });
  }

  /** The token itself. @returns null when the key that made it is gone */
  clear(kind: TokenKind, id: string, keyId: string): string | null {
    const key = this.config.refreshTokenKeys.find(({ kid }) => kid === keyId);
    return key ? derivedToken(KINDS[kind].prefix, key, id) : null;
  }

  /** Who it was sent to, while it can be used. Changes nothing. */
  find(tx: EntityManager, kind: TokenKind, clear: string): Promise<ProvenAddress | null> {
    return tx.findOneBy(MailToken, { tokenHash: hashOfToken(clear), kind, ...this.live() });
  }

  /** Uses it up. @throws InvalidToken when it is unknown, used, expired or replaced */
  async use(tx: EntityManager, kind: TokenKind, clear: string): Promise<ProvenAddress> {
    const found = await this.find(tx, kind, clear);
    if (!found) throw new InvalidToken();
    const user = await lockUser(tx, found.userId);
    // Another request may have used it, or deleted the account, before this one had the lock.
    if (!user || !(await this.find(tx, kind, clear))) throw new InvalidToken();
    await this.end(tx, found.userId, kind);
    return found;
  }

  /** Ends the live one of a kind, and the mail that still waits with it: its link would be dead. */
  async end(tx: EntityManager, userId: string, kind: TokenKind): Promise<void> {
    const ending = await tx.findOneBy(MailToken, { userId, kind, endedAt: IsNull() });
    if (!ending) return;
    await tx.update(MailToken, { id: ending.id }, { endedAt: this.clock.now() });
    await tx.delete(Mail, { tokenId: ending.id });
  }

  /** The address that waits to be confirmed: undefined without a live token. */
  async awaited(tx: EntityManager, userId: string): Promise<string | undefined> {
    return (await tx.findOneBy(MailToken, { userId, kind: 'verify', ...this.live() }))?.email;
  }

  private live() {
    return { endedAt: IsNull(), expiresAt: MoreThan(this.clock.now()) };
  }

  /**
   * Links to reset a password are asked for without sign-in, those that confirm an address by the person themselves: a stranger who
   * asks for the one does not use up the other.
   * @returns null while an account may have one more of a kind that somebody asks for, else since when it may not
   */
  async askedSince(tx: EntityManager, userId: string, kind: TokenKind): Promise<Date | null> {
    const { limit, windowSeconds } = this.config.mailsOfAccount;
    const since = new Date(this.clock.now().getTime() - windowSeconds * 1_000);
    const where = { userId, kind, asked: true, createdAt: MoreThan(since) };
    const tokens = await tx.find(MailToken, { where, order: { createdAt: 'ASC' }, take: limit });
    return tokens.length < limit ? null : tokens[0]!.createdAt;
  }

  /** The same for the person themselves. @throws RateLimited */
  async assertMayAsk(tx: EntityManager, userId: string): Promise<void> {
    const oldest = await this.askedSince(tx, userId, 'verify');
    if (oldest !== null) throw tooOften(this.config.mailsOfAccount, oldest, this.clock.now());
  }

  /** Erases those whose time is over. */
  async eraseExpired(manager: EntityManager): Promise<void> {
    await manager.delete(MailToken, { expiresAt: LessThanOrEqual(this.clock.now()) });
  }
}
