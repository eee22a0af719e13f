/** Data, not schemas. */
const EXAMPLES = new Set(['example', 'examples']);

/**
 * The same document, written so that generators of clients compile what they make of it: a boolean of one value is a
 * boolean that a sentence limits (Java has no enum of it), and of two properties whose names differ by an underscore alone
 * the second has a name of its own in Go.
 */
export function forGenerators(node: unknown): unknown {
  if (Array.isArray(node)) return (node as unknown[]).map(forGenerators);
  if (typeof node !== 'object' || node === null) return node;
  const members = Object.entries(node).map(([name, member]) => [
    name,
    EXAMPLES.has(name) ? member : forGenerators(member),
  ]);
  const { enum: values, ...schema } = Object.fromEntries(members) as { enum?: unknown[] } & Record<string, unknown>;
  if (schema['properties']) schema['properties'] = namedApart(schema['properties'] as Properties);
  if (values === undefined) return schema;
  if (schema['type'] !== 'boolean' || values.length !== 1) return { ...schema, enum: values };
  const always = `Always ${String(values[0])}`;
  const description = schema['description'];
  return { ...schema, description: typeof description === 'string' ? `${description}. ${always}` : always };
}

type Properties = Record<string, object>;

function namedApart(properties: Properties): Properties {
  const taken = new Set<string>();
  const apart = Object.entries(properties).map(([name, schema]) => {
    const exported = name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
    const isTaken = taken.has(exported);
    taken.add(exported);
    if (!isTaken) return [name, schema];
    // A list of values would be a type of the same name again.
    const { enum: _, ...open } = schema as { enum?: unknown };
    return [name, { ...open, 'x-go-name': `${exported}Alias` }];
  });
  return Object.fromEntries(apart) as Properties;
}
