import type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiExample,
  OpenApiOperation,
  ProvokingRequest,
} from '@evenkeel/contracts';
import type { ErrorBody } from '../http';

export type NamedExamples = Readonly<Record<string, OpenApiExample>>;

/** Of one operation, each by its name. */
export interface OperationExamples {
  request?: NamedExamples;
  /** By status. */
  answers?: Readonly<Record<string, NamedExamples>>;
}

/**
 * The same document with examples that no decorator can state, such as those that depend on settings. They take the place of
 * others.
 * @param examples by operation id
 * @throws Error for an operation that the document does not have
 */
export function withExamples(
  document: OpenApiDocument,
  examples: Readonly<Record<string, OperationExamples>>,
): OpenApiDocument {
  const remaining = new Set(Object.keys(examples));
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, operation]) => {
        remaining.delete(operation.operationId);
        return [method, exemplified(operation, examples[operation.operationId] ?? {})];
      }),
    ),
  ]);
  if (remaining.size > 0) throw new Error(`the document has no operation ${[...remaining].join(', ')}`);
  return { ...document, paths: Object.fromEntries(paths) as OpenApiDocument['paths'] };
}

function exemplified(operation: OpenApiOperation, { request, answers = {} }: OperationExamples): OpenApiOperation {
  const { requestBody, responses } = operation;
  const answered = Object.entries(responses).map(([status, response]) => {
    const named = answers[status];
    if (!named || !('content' in response) || !response.content) return [status, response];
    return [status, { ...response, content: showing(response.content, named) }];
  });
  return {
    ...operation,
    ...(request && requestBody && { requestBody: { ...requestBody, content: showing(requestBody.content, request) } }),
    responses: Object.fromEntries(answered) as OpenApiOperation['responses'],
  };
}

function showing(content: OpenApiContent, examples: NamedExamples): OpenApiContent {
  return Object.fromEntries(Object.entries(content).map(([type, media]) => [type, { ...media, examples }]));
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
