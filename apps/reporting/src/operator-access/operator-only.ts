import { createHash, timingSafeEqual } from 'node:crypto';
import { DomainError } from '@evenkeel/kernel';
import { LimitedBy, RateLimit, RateLimitGuard, RateWindows } from '@evenkeel/platform/auth';
import { callerOf, clientAddress } from '@evenkeel/platform/http';
import {
  applyDecorators,
  Injectable,
  Logger,
  UseGuards,
  UseInterceptors,
  UsePipes,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { ApiProperty, ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ReportingConfig } from '../reporting.config';
import { OperatorReads, OperatorReadsInterceptor } from './operator-reads.interceptor';
import { QueryPipe } from './query-member';

export class OperatorRefusalView {
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

/** One answer for a missing token and for a wrong one; the header says how the token is sent, in a scheme that no browser asks for. */
export class InvalidAdminToken extends DomainError {
  readonly kind = 'unauthorized';
  readonly code = 'invalid_admin_token';
  readonly headers = { 'www-authenticate': 'ApiKey realm="operators", header="X-Admin-Token"' };
  constructor() {
    super('The header X-Admin-Token must carry the operator token.');
  }
}

const ADMIN_TOKEN_HEADER = 'x-admin-token';

/** Before the limit of reads: a wrong token has a window of its own, so that guesses lock no operator out. */
@Injectable()
export class OperatorTokenGuard implements CanActivate {
  /** All digests have one length, so the time of a comparison reveals nothing. Null when no token is configured. */
  private readonly digest: Buffer | null;
  private readonly guesses: RateLimit;

  constructor(
    private readonly config: ReportingConfig,
    private readonly reads: OperatorReads,
    windows: RateWindows,
  ) {
    this.digest = config.ADMIN_TOKEN === undefined ? null : digestOf(config.ADMIN_TOKEN);
    const terms = { policy: 'admin_guesses', scope: 'operator', rate: config.rates.adminGuesses };
    this.guesses = new RateLimit(windows, 'admin_guesses', terms);
  }

  /** @throws AdminNotConfigured, InvalidAdminToken, RateLimited */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.digest === null) throw new AdminNotConfigured();
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { [ADMIN_TOKEN_HEADER]: offered = '' } = request.headers;
    if (timingSafeEqual(digestOf(String(offered)), this.digest)) return true;
    await this.countGuess(request, http.getResponse<FastifyReply>());
    throw new InvalidAdminToken();
  }

  /** By address, and written down as long as it is answered. */
  private async countGuess(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const status = await this.guesses.take(callerOf(clientAddress(request.raw, this.config.TRUSTED_PROXY_HOPS)));
    if (!status.allowed) throw this.guesses.refusal(status);
    void reply.headers(this.guesses.headers(status));
    // The answer is a refusal anyway: it does not wait for a log that cannot be written.
    await this.reads.add(request, false).catch((error: unknown) => {
      new Logger('operator-reads').warn({ message: 'a wrong token could not be written down', error });
    });
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

const OPERATOR_SECURITY = 'adminToken';

/** A controller for operators: 501 without a configured token, 401 or 429 for a wrong one, 429, then every read is logged in a table. */
export function OperatorOnly(): ClassDecorator {
  const refusal = (status: number, description: string) =>
    ApiResponse({ status, description, type: OperatorRefusalView });
  return applyDecorators(
    UseGuards(OperatorTokenGuard, RateLimitGuard),
    LimitedBy('admin'),
    UseInterceptors(OperatorReadsInterceptor),
    UsePipes(QueryPipe),
    ApiTags('Revenue'),
    ApiSecurity(OPERATOR_SECURITY),
    refusal(
      400,
      '`validation_failed`: a member of the query that is not known, is there twice, or is no value of its kind',
    ),
    refusal(401, '`invalid_admin_token`: missing or wrong'),
    refusal(429, '`rate_limited`: too many requests from this address, or too many exports at once'),
    refusal(501, '`admin_not_configured`: the service has no operator token'),
    refusal(503, '`service_unavailable`: the figures cannot be read, or the read not written down'),
  );
}
