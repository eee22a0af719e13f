import { forGenerators } from './for-generators';
import type { CharacterRange, JsonSchema } from './json-schema';

/**
 * The same schema in standard keywords only, for readers that do not know ours, and for generators. It accepts the same
 * bodies, but that a boolean or a fraction of one value may have another.
 */
export function published<T extends JsonSchema>(schema: T): T {
  return forGenerators(mapped(schema)) as T;
}

function mapped(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(mapped);
  if (typeof node !== 'object' || node === null) return node;
  const { trimmedLength, ...rest } = node as JsonSchema;
  const standard = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, mapped(value)]));
  return trimmedLength ? { ...standard, ...trimmedPattern(trimmedLength) } : standard;
}

/** `\s` of a pattern is exactly the white space that `trim` removes. */
function trimmedPattern({ minimum, maximum }: CharacterRange): JsonSchema {
  if (minimum > 1) return { minLength: minimum, pattern: `^\\s*\\S[\\s\\S]{${minimum - 2},${maximum - 2}}\\S\\s*$` };
  const text = `\\S(?:[\\s\\S]{0,${maximum - 2}}\\S)?`;
  return minimum === 1 ? { minLength: 1, pattern: `^\\s*${text}\\s*$` } : { pattern: `^\\s*(?:${text})?\\s*$` };
}
