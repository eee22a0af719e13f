import type { OpenApiContent, OpenApiDocument, OpenApiExample, OpenApiOperation } from '@evenkeel/contracts';
import { mapOperations, mapped } from '@evenkeel/platform/openapi';

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

const OPERATION = ['operationId', 'summary', 'description', 'tags', 'security'];
/** Last; members of an operation that are not named here come before them. */
const TRAFFIC = ['parameters', 'requestBody', 'responses'];
const PARAMETER = ['name', 'in', 'required', 'description', 'schema'];
const PLACES = ['path', 'header', 'query'];
const RESPONSE = ['description', 'headers', 'content'];

/**
 * The same document as people and models read it, who may see only its beginning: paths in the order of their tags, operations
 * with their name first and their answers last, parameters in the order of a request.
 */
export function inReadingOrder(document: OpenApiDocument): OpenApiDocument {
  const tags = (document.tags ?? []).map(({ name }) => name);
  const rank = (operations: object) =>
    Math.min(...Object.values(operations).map(({ tags: own }: OpenApiOperation) => tags.indexOf(own[0]!)));
  const paths = Object.entries(document.paths).sort(([, one], [, other]) => rank(one) - rank(other));
  return { ...document, paths: mapOperations(Object.fromEntries(paths), inOrder) };
}

function inOrder({ parameters = [], responses, ...operation }: OpenApiOperation): OpenApiOperation {
  const placed = parameters
    .map((one) => sorted(one, PARAMETER))
    .sort((one, other) => PLACES.indexOf(one.in) - PLACES.indexOf(other.in));
  const all: OpenApiOperation = {
    ...operation,
    ...(placed.length > 0 && { parameters: placed }),
    responses: mapped(responses, (response) => sorted(response, RESPONSE)),
  };
  return sorted(sorted(all, OPERATION), TRAFFIC, 'last');
}

function sorted<Node extends object>(node: Node, order: readonly string[], place: 'first' | 'last' = 'first'): Node {
  const named = order.filter((name) => name in node).map((name) => [name, node[name as keyof Node]]);
  const others = Object.entries(node).filter(([name]) => !order.includes(name));
  return Object.fromEntries(place === 'first' ? [...named, ...others] : [...others, ...named]) as Node;
}
