import { DomainError } from '@evenkeel/kernel';

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
