import type { OpenApiDocument } from '@evenkeel/contracts';
import { withExamples } from '.';

const schema = { type: 'object' };
const document: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'A part', version: '1.0.0' },
  paths: {
    '/orders': {
      post: {
        operationId: 'placeOrder',
        summary: 'An order',
        description: 'It.',
        tags: [],
        security: [],
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: {
          201: { description: 'The order', content: { 'text/csv': { schema, examples: { old: { value: 1 } } } } },
          204: { description: 'Nothing' },
          429: { $ref: '#/components/responses/Limited' },
        },
      },
      get: {
        operationId: 'listOrders',
        summary: 'All',
        description: 'It.',
        tags: [],
        security: [],
        responses: { 200: { description: 'Them', content: { 'application/json': { schema } } } },
      },
    },
  },
};
const one = { value: { article: 'tea' } };

describe('examples that no decorator can state', () => {
  it('are put beside the schemas of request and answers', () => {
    const { paths } = withExamples(document, {
      placeOrder: { request: { tea: one }, answers: { 201: { tea: one }, 204: { tea: one }, 429: { tea: one } } },
    });
    const { post, get } = paths['/orders']!;
    expect(post!.requestBody).toEqual({
      required: true,
      content: { 'application/json': { schema, examples: { tea: one } } },
    });
    expect(post!.responses).toEqual({
      201: { description: 'The order', content: { 'text/csv': { schema, examples: { tea: one } } } },
      204: { description: 'Nothing' },
      429: { $ref: '#/components/responses/Limited' },
    });
    expect(get).toEqual(document.paths['/orders']!.get);
  });

  it('belong to operations that there are', () => {
    expect(() => withExamples(document, { cancelOrder: {} })).toThrow('the document has no operation cancelOrder');
  });
});
