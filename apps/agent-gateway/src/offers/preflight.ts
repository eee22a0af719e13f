import type { IssueDetails } from '@evenkeel/platform/validation';

/** The free verdict on the body of an unpaid request (D-20). */
export type Preflight =
  { body_present: false } | { body_present: true; valid: true } | ({ body_present: true; valid: false } & IssueDetails);
