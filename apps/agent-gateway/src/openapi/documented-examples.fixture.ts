import type { OpenApiDocument, OpenApiMethod, OpenApiOperation, OpenApiResponse } from '@evenkeel/contracts';
import type { ProvokingRequest } from './error-example';

/** One example of an answer, with the request that the document gives for it. */
export interface DocumentedExample {
  path: string;
  method: OpenApiMethod;
  status: number;
  name: string;
  value: unknown;
  request: ProvokingRequest;
  operation: OpenApiOperation;
  response: OpenApiResponse;
}

/** Every example of every answer in the document. */
export function documentedExamples(document: OpenApiDocument): DocumentedExample[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      Object.entries(operation.responses).flatMap(([status, response]) =>
        examplesOf(resolved(document, response)).map(([name, { value, 'x-request': request }]) => ({
          path,
          method: method as OpenApiMethod,
          status: Number(status),
          name,
          value,
          request: request ?? { body: requestBody(operation, name) },
          operation,
          response: resolved(document, response),
        })),
      ),
    ),
  );
}

type Example = { value: unknown; 'x-request'?: ProvokingRequest };

function examplesOf({ content = {} }: OpenApiResponse): [string, Example][] {
  return Object.values(content).flatMap(({ examples = {} }) => Object.entries(examples as Record<string, Example>));
}

/** The example of the request that has the name of the answer; else the first, for answers that any request may meet. */
function requestBody({ requestBody: body }: OpenApiOperation, name: string): unknown {
  const examples = Object.values(body?.content ?? {})[0]?.examples ?? {};
  return (examples[name] ?? Object.values(examples)[0])?.value;
}

/** Shared answers stand under `components`. */
export function resolved(document: OpenApiDocument, response: OpenApiResponse | { $ref: string }): OpenApiResponse {
  if (!('$ref' in response)) return response;
  return document.components!.responses![response.$ref.replace('#/components/responses/', '')]!;
}
