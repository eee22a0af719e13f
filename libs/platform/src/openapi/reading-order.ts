import type { OpenApiDocument, OpenApiOperation } from '@evenkeel/contracts';

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
  const rank = (path: string) =>
    Math.min(...Object.values(document.paths[path]!).map((operation) => tags.indexOf(operation.tags[0]!)));
  const paths = Object.keys(document.paths).sort((one, other) => rank(one) - rank(other));
  return {
    ...document,
    paths: Object.fromEntries(
      paths.map((path) => [
        path,
        Object.fromEntries(
          Object.entries(document.paths[path]!).map(([method, operation]) => [method, inOrder(operation)]),
        ),
      ]),
    ),
  };
}

function inOrder({ parameters = [], responses, ...operation }: OpenApiOperation): OpenApiOperation {
  const all: OpenApiOperation = {
    ...operation,
    ...(parameters.length > 0 && {
      parameters: parameters
        .map((one) => sorted(one, PARAMETER))
        .sort((one, other) => PLACES.indexOf(one.in) - PLACES.indexOf(other.in)),
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, sorted(response, RESPONSE)]),
    ),
  };
  return sorted(sorted(all, OPERATION), TRAFFIC, 'last');
}

function sorted<Node extends object>(node: Node, order: readonly string[], place: 'first' | 'last' = 'first'): Node {
  const named = order.filter((name) => name in node).map((name) => [name, node[name as keyof Node]]);
  const others = Object.entries(node).filter(([name]) => !order.includes(name));
  return Object.fromEntries(place === 'first' ? [...named, ...others] : [...others, ...named]) as Node;
}
