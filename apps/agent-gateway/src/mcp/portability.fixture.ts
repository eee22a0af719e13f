/** Where a schema holds schemas: by name, in a list, alone. */
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const SINGLE = ['items', 'contains', 'not', 'propertyNames', 'if', 'then', 'else'];
/** Here `true` and `false` are what everybody writes. */
const OPEN = ['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'];
/** Keywords that restrict a value; titles and definitions do not. */
const SAYING =
  /^(type|enum|const|format|pattern|required|\$ref|anyOf|oneOf|allOf|not|items|contains|prefixItems|.*[pP]roperties|propertyNames|(min|max|multiple|unique|exclusive|dependent|content).*)$/;

/**
 * Finds parts of a tool's schema that are less portable, as the warnings of the MCP inspector do: a bare boolean, a list of types, a schema
 * that says nothing, a reference to elsewhere.
 * @returns one sentence each, with the place
 */
export function portabilityWarnings(schema: unknown, place = '', isNegated = false): string[] {
  if (typeof schema === 'boolean') return [`${place}: a bare ${String(schema)}`];
  if (typeof schema !== 'object' || schema === null) return [];
  const node = schema as Record<string, unknown>;
  const own: string[] = [];
  if (Array.isArray(node['type'])) own.push(`${place}: a list of types`);
  if (typeof node['$ref'] === 'string' && !node['$ref'].startsWith('#')) own.push(`${place}: a reference to elsewhere`);
  if (!isNegated && !Object.keys(node).some((keyword) => SAYING.test(keyword))) own.push(`${place}: says nothing`);
  return [
    ...own,
    ...heldBy(node).flatMap(([name, held]) => portabilityWarnings(held, `${place}/${name}`, name === 'not')),
  ];
}

function heldBy(node: Record<string, unknown>): [string, unknown][] {
  const named = [...MAPS, ...LISTS].flatMap((keyword) =>
    Object.entries(node[keyword] ?? {}).map(([name, held]): [string, unknown] => [`${keyword}/${name}`, held]),
  );
  const single = SINGLE.filter((keyword) => keyword in node).map((keyword): [string, unknown] => [
    keyword,
    node[keyword],
  ]);
  const open = OPEN.filter((keyword) => typeof node[keyword] === 'object');
  return [...named, ...single, ...open.map((keyword): [string, unknown] => [keyword, node[keyword]])];
}
