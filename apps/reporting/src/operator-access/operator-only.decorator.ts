import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/throttling';
import { applyDecorators, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiResponse, ApiSecurity, ApiTags } from '@nestjs/swagger';
import { OperatorReadsInterceptor } from './operator-reads.interceptor';
import { OperatorConfiguredGuard, OperatorTokenGuard } from './operator-token.guards';

/** Name of the security scheme in OpenAPI. */
export const OPERATOR_SECURITY = 'operatorToken';

/** A controller for operators: 501 without a token configured, 429, 401, then every read is written down. */
export function OperatorOnly(): ClassDecorator {
  return applyDecorators(
    UseGuards(OperatorConfiguredGuard, RateLimitGuard, OperatorTokenGuard),
    LimitedBy('admin'),
    UseInterceptors(OperatorReadsInterceptor),
    ApiTags('admin'),
    ApiSecurity(OPERATOR_SECURITY),
    ApiResponse({ status: 400, description: 'a query that is no number, no known word or no cursor of ours' }),
    ApiResponse({ status: 401, description: 'invalid_admin_token' }),
    ApiResponse({ status: 429, description: 'rate_limited' }),
    ApiResponse({ status: 501, description: 'admin_not_configured' }),
    ApiResponse({ status: 503, description: 'service_unavailable' }),
  );
}
