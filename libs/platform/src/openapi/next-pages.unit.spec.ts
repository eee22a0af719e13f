import type { OpenApiDocument, OpenApiParameter } from '@evenkeel/contracts';
import { withNextPages } from './next-pages';

const parameter = (name: string, place: OpenApiParameter['in']): OpenApiParameter => ({
  name,
  in: place,
  required: false,
  description: name,
  schema: { type: 'string' },
});

const answered = (schema: string, ...parameters: OpenApiParameter[]): OpenApiDocument['paths'] => ({
  '/logs/{id}': {
    get: {
      operationId: 'listLogs',
      summary: 'Logs',
      description: 'Logs',
      tags: [],
      security: [],
      parameters,
      responses: {
        200: {
          description: 'Logs',
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
        },
        429: { $ref: '#/components/responses/RateLimited' },
      },
    },
  },
});

const SCHEMAS = { Page: { properties: { next_cursor: { type: 'string' } } }, Whole: { properties: {} } };
const linksOf = (paths: OpenApiDocument['paths']) => {
  const answer = withNextPages(paths, SCHEMAS)['/logs/{id}']!.get!.responses['200']!;
  return 'links' in answer ? answer.links : null;
};

it('a page leads to the next one, with the same question', () => {
  const paths = answered(
    'Page',
    parameter('id', 'path'),
    parameter('cursor', 'query'),
    parameter('limit', 'query'),
    parameter('X-Request-Id', 'header'),
  );
  expect(linksOf(paths)).toEqual({
    nextPage: {
      operationId: 'listLogs',
      description: 'The next page, where there is one',
      parameters: { id: '$request.path.id', cursor: '$response.body#/next_cursor', limit: '$request.query.limit' },
    },
  });
});

it('an answer without a cursor leads nowhere, nor does an operation that takes none', () => {
  expect(linksOf(answered('Whole', parameter('cursor', 'query')))).toBeNull();
  expect(linksOf(answered('Page', parameter('limit', 'query')))).toBeNull();
});
