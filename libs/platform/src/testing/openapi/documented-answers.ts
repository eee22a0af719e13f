import type {
  OpenApiDocument,
  OpenApiExample,
  OpenApiMethod,
  OpenApiOperation,
  OpenApiResponse,
  ProvokingRequest,
} from '@evenkeel/contracts';

/** One answer that a document speaks of, with the request that it gives for it. */
export interface DocumentedAnswer {
  path: string;
  method: OpenApiMethod;
  status: number;
  /** Of the example; null where the answer has no body. */
  name: string | null;
  value: unknown;
  request: ProvokingRequest;
  operation: OpenApiOperation;
  response: OpenApiResponse;
}

/**
 * Every example of every answer in a document, and every answer without a body.
 * @throws Error for an answer with a body and no example
 */
export function documentedAnswers(document: OpenApiDocument): DocumentedAnswer[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      Object.entries(operation.responses).flatMap(([status, answer]) => {
        const response = '$ref' in answer ? sharedAnswer(document, answer.$ref) : answer;
        const examples = examplesOf(response);
        if (examples.length === 0) throw new Error(`${method} ${path} has no example of its answer ${status}`);
        return examples.map(([name, { value, 'x-request': request }]) => ({
          path,
          method: method as OpenApiMethod,
          status: Number(status),
          name,
          value,
          request: request ?? { body: requestBody(operation, name) },
          operation,
          response,
        }));
      }),
    ),
  );
}

function sharedAnswer({ components }: OpenApiDocument, reference: string): OpenApiResponse {
  return components!.responses![reference.replace('#/components/responses/', '')]!;
}

function examplesOf({ content }: OpenApiResponse): [string | null, OpenApiExample][] {
  if (!content) return [[null, { value: undefined }]];
  return Object.values(content).flatMap(({ examples = {} }) => Object.entries(examples));
}

/** The example of the request that has the name of the answer; else the first, for answers that any request may meet. */
function requestBody({ requestBody: body }: OpenApiOperation, name: string | null): unknown {
  const examples = Object.values(body?.content ?? {})[0]?.examples ?? {};
  return (examples[name ?? ''] ?? Object.values(examples)[0])?.value;
}
