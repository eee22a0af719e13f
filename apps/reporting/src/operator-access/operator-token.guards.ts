import { createHash, timingSafeEqual } from 'node:crypto';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
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

const ADMIN_TOKEN_HEADER = 'x-admin-token';

/** Stands first: without a token there is nothing to count and nothing to compare (D-116). */
@Injectable()
export class OperatorConfiguredGuard implements CanActivate {
  constructor(private readonly token: OperatorToken) {}

  canActivate(): boolean {
    this.token.assertConfigured();
    return true;
  }
}

/** Stands behind the rate limit: whoever guesses is counted. */
@Injectable()
export class OperatorTokenGuard implements CanActivate {
  constructor(private readonly token: OperatorToken) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    this.token.assertIs(headers[ADMIN_TOKEN_HEADER]);
    return true;
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
