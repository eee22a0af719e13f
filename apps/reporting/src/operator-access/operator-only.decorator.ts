import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/throttling';
import { applyDecorators, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { OperatorReadsInterceptor } from './operator-reads.interceptor';
import { OperatorRefusalView } from './operator-access.errors';
import { OperatorConfiguredGuard, OperatorTokenGuard } from './operator-token.guards';

/** Name of the security scheme in OpenAPI. */
const OPERATOR_SECURITY = 'adminToken';

/** A controller for operators: 501 without a token configured, 429, 401, then every read is written down. */
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
