import type { OpenApiComponents, OpenApiLink, OpenApiOperation } from '@evenkeel/contracts';
import { mapped } from './operations';

type Schemas = NonNullable<OpenApiComponents['schemas']>;
type Answer = OpenApiOperation['responses'][string];

/** The same operation, where an answer with `next_cursor` leads to the next page: the same question with that `cursor`. */
export function withNextPage(operation: OpenApiOperation, schemas: Schemas): OpenApiOperation {
  const { operationId, parameters = [], responses } = operation;
  if (!parameters.some(({ name }) => name === 'cursor')) return operation;
  const values = parameters.map(({ name, in: place }) => [
    name,
    name === 'cursor' ? '$response.body#/next_cursor' : `$request.${place}.${name}`,
  ]);
  const nextPage: OpenApiLink = {
    operationId,
    description: 'The next page, where there is one',
    parameters: Object.fromEntries(values) as Record<string, string>,
  };
  const linked = (answer: Answer) => (hasCursor(answer, schemas) ? { ...answer, links: { nextPage } } : answer);
  return { ...operation, responses: mapped(responses, linked) };
}

function hasCursor(answer: Answer, schemas: Schemas): boolean {
  const { schema } = ('content' in answer && answer.content?.['application/json']) || {};
  const name = schema?.$ref?.split('/').at(-1);
  return name !== undefined && schemas[name]?.properties?.['next_cursor'] !== undefined;
}
