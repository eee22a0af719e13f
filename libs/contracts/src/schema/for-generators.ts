/** Data, not schemas. */
const EXAMPLES = new Set(['example', 'examples']);

/**
 * The same schemas, written so that generators of clients compile what they make of them: a boolean or a fraction of one
 * value is one that a sentence limits (Java has no enum of the former, Python none of the latter), and of two properties
 * whose names differ by an underscore alone the second has a name of its own in Go.
 * @param node a document with schemas in it, or a part of one; examples stay as they are
 */
export function forGenerators(node: unknown): unknown {
  if (Array.isArray(node)) return (node as unknown[]).map(forGenerators);
  if (typeof node !== 'object' || node === null) return node;
  const schema = Object.fromEntries(
    Object.entries(node as Schema).map(([name, member]) => [
      name,
      EXAMPLES.has(name) ? member : forGenerators(name === 'properties' ? namedApart(member as Properties) : member),
    ]),
  );
  return isOfOneValue(schema) ? inWords(schema) : schema;
}

type Schema = Record<string, unknown>;
type Properties = Record<string, object>;

function isOfOneValue({ type, enum: values }: Schema): boolean {
  return (type === 'boolean' || type === 'number') && Array.isArray(values) && values.length === 1;
}

function inWords({ enum: values, description, ...schema }: Schema): Schema {
  const always = `Always ${String((values as unknown[])[0])}`;
  return { ...schema, description: typeof description === 'string' ? `${description}. ${always}` : always };
}

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
