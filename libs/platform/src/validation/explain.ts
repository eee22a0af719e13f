import type { Class } from '@evenkeel/contracts';
import { chooseForm } from './choose-form';
import { judge } from './judge';
import type { ValidationIssue } from './validation-issue';

/**
 * Says what is wrong with a parsed body, by class-transformer and class-validator: about 300 us, so only after a refusal
 * by the compiled validator.
 * @param forms the class of the body, or the classes it may have
 * @returns the first 100 issues, empty when there is none
 */
export function explain(forms: Class | readonly Class[], value: unknown): ValidationIssue[] {
  const choice = chooseForm(Array.isArray(forms) ? (forms as readonly Class[]) : [forms as Class], value);
  return 'issue' in choice ? [choice.issue] : judge(choice.form, value).issues;
}
