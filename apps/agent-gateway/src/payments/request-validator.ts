import { schemaOf, type Class } from '@evenkeel/contracts';
import { compileValidator, explain, fieldsOf, MAX_ISSUES, type ValidationIssue } from '@evenkeel/platform/validation';

type Verdict = { valid: true } | { valid: false; issues: ValidationIssue[] };
type Item = Record<string, unknown>;

/** Warnings about one valid object in a body, beside its unknown properties. */
type ItemWarning = (item: Readonly<Item>) => string | undefined;

const VALID: Verdict = { valid: true };

/** Where a body holds its objects, and what one of them may have. */
interface ItemPlace {
  property: string;
  known: ReadonlySet<string>;
  /** Texts that are valid, and go on, without the white space around them. */
  trimmed: readonly string[];
}

/** Validates the bodies of one endpoint. Made once, at start; bodies come from `parseJson`. */
export class RequestValidator {
  private readonly accepts: (value: unknown) => boolean;
  private readonly places: readonly ItemPlace[];
  private readonly trimmed: readonly string[];

  /**
   * @param forms the class of the body, or the classes it may have
   * @param options itemWarning: asked of every object that a valid body holds
   */
  constructor(
    private readonly forms: readonly Class[],
    private readonly options: { itemWarning?: ItemWarning } = {},
  ) {
    this.accepts = compileValidator(schemaOf(forms, { closed: true }));
    this.trimmed = forms.flatMap(trimmedNames);
    this.places = forms.flatMap(fieldsOf).flatMap(({ name: property, nested }) => {
      if (!nested) return [];
      const known = new Set(fieldsOf(nested).map(({ name }) => name));
      return [{ property, known, trimmed: trimmedNames(nested) }];
    });
  }

  /** A few microseconds for a good body; the issues of a bad one take some hundred. */
  check(value: unknown): Verdict {
    return this.accepts(value) ? VALID : { valid: false, issues: explain(this.forms, value) };
  }

  /**
   * The ignored or corrected members, for `warnings` of the result; empty for most bodies. For each object that a body holds:
   * unknown properties in the order sent, then the warning of its own. Beyond a hundred they are counted, not named.
   * @param value a valid body
   */
  warnings(value: unknown): string[] {
    const texts: string[] = [];
    let more = 0;
    const warn = (place: string, warning: string): void => {
      if (texts.length < MAX_ISSUES) texts.push(`${place}: ${warning}`);
      else more++;
    };
    for (const { property, known } of this.places) {
      const held = (value as Item)[property] as Item | Item[] | undefined;
      [held ?? []].flat().forEach((item, index) => {
        const place = Array.isArray(held) ? `${property}[${index}]` : property;
        for (const name of Object.keys(item)) {
          if (!known.has(name)) warn(place, `unknown property ${JSON.stringify(name)} ignored.`);
        }
        const warning = this.options.itemWarning?.(item);
        if (warning !== undefined) warn(place, warning);
      });
    }
    return more === 0 ? texts : [...texts, `${more} more warnings, not listed.`];
  }

  /**
   * The body as the engine takes it: names and labels without the white space around them.
   * @param value a valid body
   * @returns a copy that shares what is unchanged
   */
  input(value: unknown): unknown {
    const input = { ...trimmedTexts(value as Item, this.trimmed) };
    for (const { property, trimmed } of this.places) {
      const held = input[property] as Item | Item[] | undefined;
      if (!held) continue;
      input[property] = Array.isArray(held)
        ? held.map((item) => trimmedTexts(item, trimmed))
        : trimmedTexts(held, trimmed);
    }
    return input;
  }
}

/** Properties that carry our keyword `trimmedLength`. */
function trimmedNames(type: Class): string[] {
  return fieldsOf(type).flatMap(({ name, schema }) => (schema.trimmedLength ? [name] : []));
}

/** The same object when nothing is to trim, else a copy with the named texts trimmed. */
function trimmedTexts(item: Item, names: readonly string[]): Item {
  const wide = names.filter((name) => typeof item[name] === 'string' && item[name] !== item[name].trim());
  if (wide.length === 0) return item;
  return { ...item, ...Object.fromEntries(wide.map((name) => [name, (item[name] as string).trim()])) };
}
