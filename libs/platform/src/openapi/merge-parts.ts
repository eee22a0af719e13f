import { isDeepStrictEqual } from 'node:util';
import type { OpenApiComponents, OpenApiDocument } from '@evenkeel/contracts';

/**
 * One document from the parts of all apps: the first part's paths come first. Parts may share a component when they mean the
 * same by it.
 * @throws Error when two parts claim one path, or give different things one name
 */
export function mergeParts(parts: readonly OpenApiDocument[]): Pick<OpenApiDocument, 'tags' | 'paths' | 'components'> {
  const tags = parts.flatMap((part) => part.tags ?? []);
  return {
    tags: tags.filter(({ name }, index) => tags.findIndex((other) => other.name === name) === index),
    paths: united(
      'path',
      parts.map(({ paths }) => paths),
    ),
    components: mergedComponents(parts.map(({ components }) => components ?? {})),
  };
}

function mergedComponents(all: readonly OpenApiComponents[]): OpenApiComponents {
  const kinds = [...new Set(all.flatMap((components) => Object.keys(components)))] as (keyof OpenApiComponents)[];
  return Object.fromEntries(
    kinds.map((kind) => [
      kind,
      united(
        kind,
        all.map((components) => components[kind] ?? {}),
      ),
    ]),
  );
}

function united<Value>(kind: string, maps: readonly Record<string, Value>[]): Record<string, Value> {
  const union: Record<string, Value> = {};
  for (const [name, value] of maps.flatMap((map) => Object.entries(map))) {
    const known = union[name];
    if (known !== undefined && !isDeepStrictEqual(known, value)) {
      throw new Error(`two parts of the OpenAPI document disagree about ${kind} ${name}`);
    }
    union[name] = value;
  }
  return union;
}
