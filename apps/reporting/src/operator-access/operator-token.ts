import { createHash, timingSafeEqual } from 'node:crypto';
import { AdminNotConfigured, InvalidAdminToken } from './operator-access.errors';

/** What an operator must know. Only its digest is kept: digests are of one length, and tell nothing by the time of a comparison. */
export class OperatorToken {
  private readonly digest: Buffer | null;

  /** @param token undefined when none is configured */
  constructor(token: string | undefined) {
    this.digest = token === undefined ? null : digestOf(token);
  }

  /** @throws AdminNotConfigured */
  assertConfigured(): void {
    if (this.digest === null) throw new AdminNotConfigured();
  }

  /** @throws AdminNotConfigured, InvalidAdminToken */
  assertIs(offered: unknown): void {
    if (this.digest === null) throw new AdminNotConfigured();
    const text = typeof offered === 'string' ? offered : '';
    if (!timingSafeEqual(digestOf(text), this.digest)) throw new InvalidAdminToken();
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
