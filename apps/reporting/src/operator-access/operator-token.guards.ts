import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OperatorToken } from './operator-token';

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
