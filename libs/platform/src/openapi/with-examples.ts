import type {
  OpenApiContent,
  OpenApiDocument,
  OpenApiExample,
  OpenApiOperation,
  ProvokingRequest,
} from '@evenkeel/contracts';
import type { ErrorBody } from '../http';
import { mapOperations, mapped } from './operations';

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
  const paths = mapOperations(document.paths, (operation) => {
    remaining.delete(operation.operationId);
    return exemplified(operation, examples[operation.operationId] ?? {});
  });
  if (remaining.size > 0) throw new Error(`the document has no operation ${[...remaining].join(', ')}`);
  return { ...document, paths };
}

function exemplified(operation: OpenApiOperation, { request, answers = {} }: OperationExamples): OpenApiOperation {
  const { requestBody } = operation;
  const showing = (content: OpenApiContent, examples: NamedExamples) =>
    mapped(content, (media) => ({ ...media, examples }));
  const responses = mapped(operation.responses, (response, status) => {
    const named = answers[status];
    if (!named || !('content' in response) || !response.content) return response;
    return { ...response, content: showing(response.content, named) };
  });
  if (!request || !requestBody) return { ...operation, responses };
  return { ...operation, requestBody: { ...requestBody, content: showing(requestBody.content, request) }, responses };
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
