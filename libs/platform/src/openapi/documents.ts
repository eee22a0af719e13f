import { isDeepStrictEqual } from 'node:util';
import type {
  OpenApiDocument,
  OpenApiExample,
  OpenApiMethod,
  OpenApiOperation,
  ProvokingRequest,
} from '@evenkeel/contracts';
import type { ErrorBody } from '../http';

/** The same object with other values. */
export function mapped<Value, Other>(
  object: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Other,
): Record<string, Other> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
}

/** The same paths with other operations. */
export function mapOperations(
  paths: OpenApiDocument['paths'],
  change: (operation: OpenApiOperation, path: string, method: OpenApiMethod) => OpenApiOperation,
): OpenApiDocument['paths'] {
  return mapped(paths, (operations, path) =>
    mapped(operations, (operation, method) => change(operation, path, method as OpenApiMethod)),
  );
}

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

/**
 * A refusal as it is answered.
 * @param provokedBy what provokes it, where the request of the operation does not
 */
export function refusalExample(body: ErrorBody, provokedBy?: ProvokingRequest): OpenApiExample {
  // Through JSON: a member that is not set is no part of what is answered.
  const value = JSON.parse(JSON.stringify(body)) as ErrorBody;
  return { value, ...(provokedBy && { 'x-request': provokedBy }) };
}
