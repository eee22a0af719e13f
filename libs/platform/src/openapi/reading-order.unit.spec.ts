import type { OpenApiDocument, OpenApiOperation } from '@evenkeel/contracts';
import { inReadingOrder } from '.';

const schema = { type: 'string' };
const operation = (tag: string): OpenApiOperation => ({
  responses: { 200: { content: {}, headers: {}, description: 'All is well' } },
  requestBody: { required: true, content: {} },
  parameters: [
    { schema, description: 'Which', required: true, in: 'query', name: 'which' },
    { schema, description: 'Id', required: true, in: 'path', name: 'id' },
  ],
  'x-price': 1,
  security: [],
  tags: [tag],
  description: 'It.',
  summary: 'Something',
  operationId: `read${tag}`,
});

const document: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'A part', version: '1.0.0' },
  tags: [{ name: 'Sold' }, { name: 'Free' }],
  paths: {
    '/none': { get: { ...operation('Unlisted'), parameters: [] } },
    '/free': { get: operation('Free') },
    '/b': { get: operation('Free'), post: operation('Sold') },
    '/a': { post: operation('Sold') },
  },
};

describe('a document in reading order', () => {
  const { paths } = inReadingOrder(document);

  it('has paths in the order of their tags, else as they were', () => {
    expect(Object.keys(paths)).toEqual(['/b', '/a', '/free', '/none']);
  });

  it('has the name of an operation first and its answers last', () => {
    const { post } = paths['/a']!;
    expect(Object.keys(post!)).toEqual([
      ...['operationId', 'summary', 'description', 'tags', 'security', 'x-price'],
      ...['parameters', 'requestBody', 'responses'],
    ]);
    expect(post!.parameters!.map(({ name }) => name)).toEqual(['id', 'which']);
    expect(Object.keys(post!.parameters![0]!)).toEqual(['name', 'in', 'required', 'description', 'schema']);
    expect(Object.keys(post!.responses['200']!)).toEqual(['description', 'headers', 'content']);
  });

  it('says the same, but for lists of no parameters', () => {
    const { parameters: _, ...without } = operation('Unlisted');
    expect(paths).toEqual({
      '/none': { get: without },
      '/free': { get: sameWithIdFirst('Free') },
      '/b': { get: sameWithIdFirst('Free'), post: sameWithIdFirst('Sold') },
      '/a': { post: sameWithIdFirst('Sold') },
    });
  });
});

function sameWithIdFirst(tag: string): OpenApiOperation {
  const same = operation(tag);
  return { ...same, parameters: same.parameters!.reverse() };
}
