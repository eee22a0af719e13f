import { schemaOf, type PaidEndpoint } from '@evenkeel/contracts';
import { nestedSchema } from './body-schema';
import { compileValidator } from './compile-validator';
import { explain } from './explain';
import { itemPlaces, trimmedNames, type ItemPlace } from './item-places';
import { itemWarnings } from './item-warnings';
import { trimmedItems, trimmedTexts, type Item } from './trimmed-texts';
import type { ValidationIssue } from './validation-issue';

export type Verdict = { valid: true } | { valid: false; issues: ValidationIssue[] };

const VALID: Verdict = { valid: true };

/** Judges the bodies of one paid endpoint. Made once, at start; bodies come from `parseJson`. */
export class RequestValidator {
  private readonly accepts: (value: unknown) => boolean;
  private readonly places: readonly ItemPlace[];
  private readonly trimmed: readonly string[];

  constructor(private readonly endpoint: Pick<PaidEndpoint, 'requestForms'>) {
    const schema = schemaOf(endpoint.requestForms, { closed: true });
    const forms = schema.oneOf?.map((form) => nestedSchema(form, schema)!) ?? [schema];
    this.accepts = compileValidator(schema);
    this.places = itemPlaces(forms, schema);
    this.trimmed = forms.flatMap(({ properties = {} }) => trimmedNames(properties));
  }

  /** A few microseconds for a good body; the issues of a bad one take some hundred. */
  check(value: unknown): Verdict {
    return this.accepts(value) ? VALID : { valid: false, issues: explain(this.endpoint.requestForms, value) };
  }

  /**
   * What was ignored or corrected, for `warnings` of the result; empty for most bodies.
   * @param value a valid body
   */
  warnings(value: unknown): string[] {
    const warnings: string[] = [];
    for (const { property, known } of this.places) {
      const held = (value as Item)[property] as Item | Item[] | undefined;
      if (Array.isArray(held)) {
        held.forEach((item, index) => {
          for (const warning of itemWarnings(item, known)) warnings.push(`${property}[${index}]: ${warning}`);
        });
      } else if (held) {
        for (const warning of itemWarnings(held, known)) warnings.push(`${property}: ${warning}`);
      }
    }
    return warnings;
  }

  /**
   * The body as the engine takes it: names and labels without the white space around them.
   * @param value a valid body
   * @returns the body itself when there is nothing to trim, else a copy that shares what is unchanged
   */
  input(value: unknown): unknown {
    let input = trimmedTexts(value as Item, this.trimmed);
    for (const { property, trimmed } of this.places) {
      const held = input[property] as Item | Item[] | undefined;
      if (!held) continue;
      const items = Array.isArray(held) ? trimmedItems(held, trimmed) : trimmedTexts(held, trimmed);
      if (items !== held) input = { ...input, [property]: items };
    }
    return input;
  }
}
