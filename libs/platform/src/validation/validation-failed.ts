import { DomainError } from '@evenkeel/kernel';
import { sentence, type ValidationIssue } from './validation-issue';

const LISTED = 20;

export interface IssueDetails {
  issues: readonly ValidationIssue[];
  /** How many more were found; only when the list was cut. */
  more_issues?: number;
}

/** The issues as an answer lists them: the first 20, and how many more. */
export function issueDetails(issues: readonly ValidationIssue[]): IssueDetails {
  if (issues.length <= LISTED) return { issues };
  return { issues: issues.slice(0, LISTED), more_issues: issues.length - LISTED };
}

/** What was sent does not fit its schema. The message is the first issue. */
export class ValidationFailed extends DomainError {
  readonly kind = 'invalid';
  readonly code = 'validation_failed';
  override readonly details: Readonly<Record<string, unknown>> & IssueDetails;

  /** @param issues at least one */
  constructor(issues: readonly ValidationIssue[]) {
    super(issues[0] && sentence(issues[0]));
    this.details = { ...issueDetails(issues) };
  }
}
