import { isJsonObject, type Class } from '@evenkeel/contracts';
import { bodySchema } from './body-schema';
import { below, type ValidationIssue } from './validation-issue';

/**
 * Which of several forms a body means: the one whose own required property it has, such as `habit` or `habits`.
 * Both or neither is an issue of its own.
 */
export function chooseForm(forms: readonly Class[], value: unknown): { form: Class } | { issue: ValidationIssue } {
  const [first, ...others] = forms;
  if (!first) throw new TypeError('a body needs at least one form');
  if (others.length === 0 || !isJsonObject(value)) return { form: first };
  const marks = forms.map((form) => ({ form, mark: markOf(form, forms) }));
  const [meant, second] = marks.filter(({ mark }) => Object.hasOwn(value, mark));
  if (!meant) {
    const [wanted, ...alternatives] = marks.map(({ mark }) => mark);
    return {
      issue: { path: below('', wanted!), code: 'required', message: `is required, or ${alternatives.join(' or ')}` },
    };
  }
  if (second) {
    return {
      issue: {
        path: below('', second.mark),
        code: 'conflict',
        message: `must not be given together with ${meant.mark}`,
      },
    };
  }
  return { form: meant.form };
}

function markOf(form: Class, forms: readonly Class[]): string {
  const others = forms.filter((other) => other !== form);
  const mark = bodySchema(form).required?.find((name) =>
    others.every((other) => !(name in bodySchema(other).properties!)),
  );
  if (mark === undefined) throw new TypeError(`${form.name} has no required property of its own`);
  return mark;
}
