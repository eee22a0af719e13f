import type { OpenApiDocument, OpenApiMethod, OpenApiOperation } from '@evenkeel/contracts';

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
