import { isJsonObject, type Class } from '@evenkeel/contracts';
import { bodySchema } from './body-schema';
import { validate } from './validate';
import { Place, type ValidationIssue } from './validation-issue';

/**
 * Says what is wrong with a parsed body, by class-transformer and class-validator: about 300 us, so only after a refusal
 * by the compiled validator.
 * @param forms the class of the body, or the classes it may have
 * @returns the first 100 issues, empty when there is none
 */
export function explain(forms: Class | readonly Class[], value: unknown): ValidationIssue[] {
  const choice = chooseForm(Array.isArray(forms) ? (forms as readonly Class[]) : [forms as Class], value);
  return 'issue' in choice ? [choice.issue] : validate(choice.form, value).issues;
}

/**
 * Which of several forms a body means: the one whose own required property it has, such as `item` or `items`.
 * Both or neither is an issue of its own.
 */
function chooseForm(forms: readonly Class[], value: unknown): { form: Class } | { issue: ValidationIssue } {
  const [first, ...others] = forms;
  if (!first) throw new TypeError('a body needs at least one form');
  if (others.length === 0 || !isJsonObject(value)) return { form: first };
  const marks = forms.map((form) => ({ form, mark: markOf(form, forms) }));
  const [meant, second] = marks.filter(({ mark }) => Object.hasOwn(value, mark));
  if (!meant) {
    const [wanted, ...alternatives] = marks.map(({ mark }) => mark);
    return { issue: issueAt(wanted!, 'required', `is required, or ${alternatives.join(' or ')}`) };
  }
  if (second) return { issue: issueAt(second.mark, 'conflict', `must not be given together with ${meant.mark}`) };
  return { form: meant.form };
}

function issueAt(property: string, code: 'required' | 'conflict', message: string): ValidationIssue {
  return { path: Place.WHOLE_BODY.below(property).path, code, message };
}

function markOf(form: Class, forms: readonly Class[]): string {
  const others = forms.filter((other) => other !== form);
  const mark = bodySchema(form).required.find((name) =>
    others.every((other) => !(name in bodySchema(other).properties)),
  );
  if (mark === undefined) throw new TypeError(`${form.name} has no required property of its own`);
  return mark;
}
