import type { JsonSchema, OpenApiDocument } from '@evenkeel/contracts';

/** Called with the name of a list, and whether it had an item. */
type Found = (list: string, hadItem: boolean) => void;

/**
 * Which lists of a document's answers were seen with an item: of one that is always empty nobody knows whether its items are as
 * documented. A list has the name of its schema and of the members that lead to it.
 */
export class ListsSeen {
  private readonly seen = new Set<string>();

  constructor(private readonly document: OpenApiDocument) {}

  /** An answer of a successful request. */
  look(schema: JsonSchema, value: unknown, name: string): void {
    this.visit(schema, name, [value], (list, hadItem) => hadItem && this.seen.add(list));
  }

  /** @returns names of the lists in the answers of successful requests that were empty whenever they were looked at */
  notSeen({ paths }: Pick<OpenApiDocument, 'paths'>): string[] {
    const all = new Set<string>();
    for (const { operationId, responses } of Object.values(paths).flatMap((operations) => Object.values(operations))) {
      for (const [status, response] of Object.entries(responses)) {
        const content = Number(status) < 300 && !('$ref' in response) ? response.content : undefined;
        for (const { schema } of Object.values(content ?? {})) {
          this.visit(schema, operationId, null, (list) => all.add(list));
        }
      }
    }
    return [...all].filter((list) => !this.seen.has(list)).sort();
  }

  /** @param values of the schema; null: goes through the schema alone, and once through each that it names */
  private visit(given: JsonSchema, from: string, values: unknown[] | null, found: Found, within = new Set()): void {
    const reference = given.$ref;
    if (reference !== undefined) {
      if (values === null && within.has(reference)) return;
      within.add(reference);
      const named = reference.replace('#/components/schemas/', '');
      return this.visit(this.document.components!.schemas![named]!, named, values, found, within);
    }
    const objects = values?.filter((value) => typeof value === 'object' && value !== null) ?? null;
    if (objects?.length === 0) return;
    const {
      anyOf = [],
      oneOf = [],
      allOf = [],
      items,
      properties = {},
    } = given as JsonSchema & { allOf?: JsonSchema[] };
    for (const form of [...anyOf, ...oneOf, ...allOf]) this.visit(form, from, objects, found, within);
    if (items) {
      const inLists = objects?.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : [])) ?? null;
      found(from, inLists !== null && inLists.length > 0);
      this.visit(items, `${from}[]`, inLists, found, within);
    }
    for (const [member, inner] of Object.entries(properties)) {
      const members = objects?.map((value) => (value as Record<string, unknown>)[member]) ?? null;
      this.visit(inner, `${from}.${member}`, members, found, within);
    }
  }
}
