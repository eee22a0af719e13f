import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '@evenkeel/kernel';
import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/throttling';
import {
  applyDecorators,
  Injectable,
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { ApiProperty, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { OperatorReadsInterceptor } from './operator-reads.interceptor';

/** What operators get in place of figures: the error shape of every surface. */
class OperatorRefusalView {
  @ApiProperty({ description: 'code for programs; never renamed' }) error!: string;
  @ApiProperty() message!: string;
  @ApiProperty({ required: false, type: Object })
  details?: Record<string, unknown>;
}

/** The service has no operator token: there is no operator. */
export class AdminNotConfigured extends DomainError {
  readonly kind = 'not_configured';
  readonly code = 'admin_not_configured';
  constructor() {
    super('No operator token is configured: set ADMIN_TOKEN to 24 characters or more and start again.');
  }
}

/** One answer for a missing token and for a wrong one. */
export class InvalidAdminToken extends DomainError {
  readonly kind = 'unauthorized';
  readonly code = 'invalid_admin_token';
  constructor() {
    super('The header X-Admin-Token must carry the operator token.');
  }
}

/** The token that operators send. Stored as a digest: all digests have one length, so the time of a comparison reveals nothing. */
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

/** The first guard: without a token there is nothing to count and nothing to compare (D-116). */
@Injectable()
export class OperatorConfiguredGuard implements CanActivate {
  constructor(private readonly token: OperatorToken) {}

  canActivate(): boolean {
    this.token.assertConfigured();
    return true;
  }
}

/** After the rate limit: every guess is counted. */
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

/** Name of the security scheme in OpenAPI. */
const OPERATOR_SECURITY = 'adminToken';

/** A controller for operators: 501 without a configured token, 429, 401, then every read is logged in a table. */
export function OperatorOnly(): ClassDecorator {
  const refusal = (status: number, description: string) =>
    ApiResponse({ status, description, type: OperatorRefusalView });
  return applyDecorators(
    UseGuards(OperatorConfiguredGuard, RateLimitGuard, OperatorTokenGuard),
    LimitedBy('admin'),
    UseInterceptors(OperatorReadsInterceptor),
    ApiTags('Revenue'),
    ApiSecurity(OPERATOR_SECURITY),
    refusal(400, '`validation_failed`: a query that is no number, no known word or no cursor of ours'),
    refusal(401, '`invalid_admin_token`: missing or wrong'),
    refusal(429, '`rate_limited`: too many requests from this address, or too many exports at once'),
    refusal(501, '`admin_not_configured`: the service has no operator token'),
    refusal(503, '`service_unavailable`: the figures cannot be read, or the read not written down'),
  );
}
