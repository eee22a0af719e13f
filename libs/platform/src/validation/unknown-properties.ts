import { isJsonObject, type Class } from '@evenkeel/contracts';
import { bodySchema, type Field } from './body-schema';
import { MAX_ISSUES, MAX_SHOWN_NAME, Place, type ValidationIssue } from './validation-issue';

/**
 * Properties that a closed class does not have, at any depth. class-validator's own whitelist lets names pass that every
 * object has, such as `isPrototypeOf`, and class-transformer drops `toString` before it is seen.
 * @returns the first 100
 */
export function unknownProperties(type: Class, body: Record<string, unknown>): ValidationIssue[] {
  const search = new UnknownProperties();
  search.inObject(body, type, Place.WHOLE_BODY);
  return search.issues;
}

class UnknownProperties {
  readonly issues: ValidationIssue[] = [];

  inObject(value: Record<string, unknown>, type: Class, place: Place): void {
    const { fields, isClosed } = bodySchema(type);
    if (!isClosed) {
      for (const field of fields) if (field.nested) this.inField(value[field.name], field, place);
      return;
    }
    for (const name of Object.keys(value)) {
      if (this.isFull) return;
      const field = fields.find((known) => known.name === name);
      if (field) this.inField(value[name], field, place);
      else this.issues.push(unknownProperty(place, name));
    }
  }

  private get isFull(): boolean {
    return this.issues.length >= MAX_ISSUES;
  }

  private inField(value: unknown, { name, nested, isList }: Field, holder: Place): void {
    if (!nested) return;
    if (isList && Array.isArray(value)) this.inList(value, nested, holder.below(name));
    else if (!isList && isJsonObject(value)) this.inObject(value, nested, holder.below(name));
  }

  private inList(list: readonly unknown[], type: Class, place: Place): void {
    const { fields, isClosed } = bodySchema(type);
    if (!isClosed && !fields.some(({ nested }) => nested)) return;
    for (let index = 0; index < list.length && !this.isFull; index++) {
      const item = list[index];
      if (isJsonObject(item)) this.inObject(item, type, place.below(index));
    }
  }
}

function unknownProperty(holder: Place, name: string): ValidationIssue {
  const code = 'unknown_property';
  if (name.length <= MAX_SHOWN_NAME) return { path: holder.below(name).path, code, message: 'is not a known property' };
  return { path: holder.path, code, message: `has an unknown property with a name of ${name.length} characters` };
}
