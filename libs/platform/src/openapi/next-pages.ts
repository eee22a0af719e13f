import type {
  OpenApiComponents,
  OpenApiDocument,
  OpenApiLink,
  OpenApiOperation,
  OpenApiResponse,
} from '@evenkeel/contracts';

type Schemas = NonNullable<OpenApiComponents['schemas']>;

/** The same operations, where an answer with `next_cursor` leads to the next page: the same question with that `cursor`. */
export function withNextPages(paths: OpenApiDocument['paths'], schemas: Schemas): OpenApiDocument['paths'] {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [method, withNextPage(operation, schemas)]),
      ),
    ]),
  );
}

function withNextPage(operation: OpenApiOperation, schemas: Schemas): OpenApiOperation {
  const link = nextPage(operation);
  if (!link) return operation;
  const answers = Object.entries(operation.responses).map(([status, response]) =>
    '$ref' in response || !hasCursor(response, schemas)
      ? [status, response]
      : [status, { ...response, links: { nextPage: link } }],
  );
  return { ...operation, responses: Object.fromEntries(answers) as OpenApiOperation['responses'] };
}

function hasCursor({ content = {} }: OpenApiResponse, schemas: Schemas): boolean {
  const name = content['application/json']?.schema.$ref?.split('/').at(-1);
  return name !== undefined && schemas[name]?.properties?.['next_cursor'] !== undefined;
}

function nextPage({ operationId, parameters = [] }: OpenApiOperation): OpenApiLink | null {
  if (!parameters.some(({ name }) => name === 'cursor')) return null;
  const values = parameters.map(({ name, in: place }) => [
    name,
    name === 'cursor' ? '$response.body#/next_cursor' : `$request.${place}.${name}`,
  ]);
  return {
    operationId,
    description: 'The next page, where there is one',
    parameters: Object.fromEntries(values) as Record<string, string>,
  };
}
