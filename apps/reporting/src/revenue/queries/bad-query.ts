import { ValidationFailed, type IssueCode } from '@evenkeel/platform/validation';

/** A 400 for one parameter of a query. */
export function badQuery(name: string, code: IssueCode, message: string): ValidationFailed {
  return new ValidationFailed([{ path: `/${name}`, code, message }]);
}
