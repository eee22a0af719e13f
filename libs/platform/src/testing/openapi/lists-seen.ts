import type { JsonSchema, OpenApiDocument } from '@evenkeel/contracts';

/**
 * Which lists of a document's answers were seen with an item: of one that is always empty nobody knows whether its items are as
 * documented. A list has the name of its schema and of the members that lead to it.
 */
export class ListsSeen {
  private readonly seen = new Set<string>();

  constructor(private readonly document: OpenApiDocument) {}

  /** An answer of a successful request. */
  look(schema: JsonSchema, value: unknown, name: string): void {
    this.visit(schema, name, value, (list, items) => {
      if (Array.isArray(items) && items.length > 0) this.seen.add(list);
    });
  }

  /** @returns names of the lists in the answers of successful requests that were empty whenever they were looked at */
  notSeen({ paths }: Pick<OpenApiDocument, 'paths'>): string[] {
    const all = new Set<string>();
    for (const { schema, name } of answersIn(paths)) this.name(schema, name, all, new Set());
    return [...all].filter((list) => !this.seen.has(list)).sort();
  }

  private name(given: JsonSchema, from: string, lists: Set<string>, within: Set<string>): void {
    if (given.$ref !== undefined) {
      if (within.has(given.$ref)) return;
      within.add(given.$ref);
    }
    const { schema, name } = this.resolved(given, from);
    for (const form of formsOf(schema)) this.name(form, name, lists, within);
    if (schema.items) {
      lists.add(name);
      this.name(schema.items, `${name}[]`, lists, within);
    }
    for (const [member, inner] of Object.entries(schema.properties ?? {})) {
      this.name(inner, `${name}.${member}`, lists, within);
    }
  }

  private visit(given: JsonSchema, from: string, value: unknown, found: (list: string, value: unknown) => void): void {
    if (typeof value !== 'object' || value === null) return;
    const { schema, name } = this.resolved(given, from);
    for (const form of formsOf(schema)) this.visit(form, name, value, found);
    if (schema.items && Array.isArray(value)) {
      found(name, value);
      for (const item of value as unknown[]) this.visit(schema.items, `${name}[]`, item, found);
    }
    for (const [member, inner] of Object.entries(schema.properties ?? {})) {
      this.visit(inner, `${name}.${member}`, (value as Record<string, unknown>)[member], found);
    }
  }

  private resolved(schema: JsonSchema, name: string): { schema: JsonSchema; name: string } {
    if (schema.$ref === undefined) return { schema, name };
    const named = schema.$ref.replace('#/components/schemas/', '');
    return this.resolved(this.document.components!.schemas![named]!, named);
  }
}

function answersIn(paths: OpenApiDocument['paths']): { schema: JsonSchema; name: string }[] {
  return Object.values(paths).flatMap((operations) =>
    Object.values(operations).flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, response]) => {
        if (Number(status) >= 300 || '$ref' in response) return [];
        return Object.values(response.content ?? {}).map(({ schema }) => ({ schema, name: operationId }));
      }),
    ),
  );
}

function formsOf({ anyOf = [], oneOf = [], ...schema }: JsonSchema): JsonSchema[] {
  return [...anyOf, ...oneOf, ...((schema as { allOf?: JsonSchema[] }).allOf ?? [])];
}
