import { isDeepStrictEqual } from 'node:util';
import type { OpenApiDocument } from '@evenkeel/contracts';

/**
 * One document from the parts of all apps: the first part's paths come first. Parts may share a component when they mean the
 * same by it.
 * @throws Error when two parts claim one path, or give different things one name
 */
export function mergeParts(parts: readonly OpenApiDocument[]): Pick<OpenApiDocument, 'tags' | 'paths' | 'components'> {
  const tags = parts.flatMap((part) => part.tags ?? []);
  const components: Record<string, Record<string, object>> = {};
  for (const part of parts) {
    for (const [kind, named] of Object.entries({ ...part.components }))
      components[kind] = united(kind, components[kind] ?? {}, named);
  }
  return {
    tags: tags.filter(({ name }, index) => tags.findIndex((other) => other.name === name) === index),
    paths: parts.map(({ paths }) => paths).reduce((union, paths) => united('path', union, paths), {}),
    components,
  };
}

function united<Value>(
  kind: string,
  known: Record<string, Value>,
  others: Record<string, Value>,
): Record<string, Value> {
  for (const name of Object.keys(others)) {
    if (name in known && !isDeepStrictEqual(known[name], others[name]))
      throw new Error(`two parts of the OpenAPI document disagree about ${kind} ${name}`);
  }
  return { ...known, ...others };
}
