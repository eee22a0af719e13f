import { schemaOf, type Class } from '@evenkeel/contracts';
import { bodySchema, compileValidator, type Field } from './body-schema';
import { explain } from './explain';
import { MAX_ISSUES, type ValidationIssue } from './validation-issue';

type Verdict = { valid: true } | { valid: false; issues: ValidationIssue[] };

/** Warnings about one valid object in a body, beside its unknown properties. */
type ItemWarning = (item: Readonly<Record<string, unknown>>) => string | undefined;

type Item = Record<string, unknown>;

const VALID: Verdict = { valid: true };

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
    const fields = forms.flatMap((form) => bodySchema(form).fields);
    this.accepts = compileValidator(schemaOf(forms, { closed: true }));
    this.places = fields.flatMap(({ name, nested }) => (nested ? [itemPlace(name, nested)] : []));
    this.trimmed = trimmedNames(fields);
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
    const warnings = new Warnings();
    for (const { property, known } of this.places) {
      const held = (value as Item)[property] as Item | Item[] | undefined;
      if (Array.isArray(held)) held.forEach((item, index) => this.warn(warnings, item, known, property, index));
      else if (held) this.warn(warnings, held, known, property);
    }
    return warnings.list();
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

  private warn(warnings: Warnings, item: Item, known: ReadonlySet<string>, property: string, index?: number): void {
    const unknown = Object.keys(item).filter((name) => !known.has(name));
    const warning = this.options.itemWarning?.(item);
    if (unknown.length === 0 && warning === undefined) return;
    const place = index === undefined ? property : `${property}[${index}]`;
    const beginning = `${place}: unknown property `;
    for (const name of unknown) warnings.add(() => `${beginning}${JSON.stringify(name)} ignored.`);
    if (warning !== undefined) warnings.add(() => `${place}: ${warning}`);
  }
}

/** A body of ten thousand unknown properties gets a short answer, as one of ten thousand issues does. */
class Warnings {
  private readonly texts: string[] = [];
  private more = 0;

  add(text: () => string): void {
    if (this.texts.length < MAX_ISSUES) this.texts.push(text());
    else this.more++;
  }

  list(): string[] {
    return this.more === 0 ? this.texts : [...this.texts, `${this.more} more warnings, not listed.`];
  }
}

/** Where a body holds its objects, and what one of them may have. */
interface ItemPlace {
  property: string;
  known: ReadonlySet<string>;
  /** Texts that count, and go on, without the white space around them. */
  trimmed: readonly string[];
}

function itemPlace(property: string, type: Class): ItemPlace {
  const { fields } = bodySchema(type);
  return { property, known: new Set(fields.map(({ name }) => name)), trimmed: trimmedNames(fields) };
}

/** Properties that carry our keyword `trimmedLength`. */
function trimmedNames(fields: readonly Field[]): string[] {
  return fields.flatMap(({ name, schema }) => (schema.trimmedLength ? [name] : []));
}

/** The same object when nothing is to trim, else a copy with the named texts trimmed. */
function trimmedTexts(item: Item, names: readonly string[]): Item {
  const wide = names.filter((name) => typeof item[name] === 'string' && item[name] !== item[name].trim());
  if (wide.length === 0) return item;
  return { ...item, ...Object.fromEntries(wide.map((name) => [name, (item[name] as string).trim()])) };
}

/** The same list when nothing is to trim in any of its items. */
function trimmedItems(items: Item[], names: readonly string[]): Item[] {
  const trimmed = items.map((item) => trimmedTexts(item, names));
  return trimmed.every((item, index) => item === items[index]) ? items : trimmed;
}
