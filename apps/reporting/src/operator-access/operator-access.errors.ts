import { DomainError } from '@evenkeel/kernel';
import { ApiProperty } from '@nestjs/swagger';

/** What operators are told in place of figures: the error shape of every surface. */
export class OperatorRefusalView {
  @ApiProperty({ description: 'code for programs; never renamed' }) error!: string;
  @ApiProperty() message!: string;
  @ApiProperty({ required: false, type: Object })
  details?: Record<string, unknown>;
}

/** Nobody has said what an operator is to know: then nobody is one. */
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
