import { isDeepStrictEqual } from 'node:util';
import type {
  OpenApiContent,
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
