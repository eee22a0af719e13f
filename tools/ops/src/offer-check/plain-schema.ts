import { isJsonObject } from '@evenkeel/contracts';

type Schema = Record<string, unknown>;

/** Keywords that differ between documents without a difference in meaning. */
const NAMING = new Set(['$schema', '$defs', 'title']);

/**
 * A schema with everything it refers to in its place, so that two documents that keep their parts elsewhere can be compared.
 * @param root what `#` means
 */
export function plainSchema(schema: unknown, root: unknown = schema): unknown {
  if (Array.isArray(schema)) return schema.map((item) => plainSchema(item, root));
  if (!isJsonObject(schema)) return schema;
  const { $ref, ...own } = schema;
  const target = typeof $ref === 'string' ? (pointed(root, $ref) as Schema) : {};
  const members = Object.entries({ ...target, ...own }).filter(([name]) => !NAMING.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, plainSchema(member, root)]));
}

/** The same without `metadata`, and the last of two forms: what the capability manifest shows of a request. */
export function capabilitySchema(schema: unknown): unknown {
  const plain = plainSchema(schema) as { oneOf?: unknown[] };
  return withoutMetadata(plain.oneOf?.at(-1) ?? plain);
}

function withoutMetadata(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutMetadata);
  if (!isJsonObject(node)) return node;
  const others = Object.entries(node).filter(([name]) => name !== 'metadata');
  return Object.fromEntries(others.map(([name, member]) => [name, withoutMetadata(member)]));
}

/** How many items a request may have, as its schema says it. */
export function maxItemsIn(schema: unknown): unknown {
  if (!isJsonObject(schema)) return undefined;
  const { oneOf, properties } = plainSchema(schema) as { oneOf?: unknown[]; properties?: Record<string, Schema> };
  if (oneOf) return maxItemsIn(oneOf[0]);
  return Object.values(properties ?? {}).find(({ type }) => type === 'array')?.['maxItems'];
}

function pointed(root: unknown, reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((node, key) => (node as Schema | undefined)?.[key], root);
}
