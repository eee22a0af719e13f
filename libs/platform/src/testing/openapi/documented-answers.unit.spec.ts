import type { OpenApiDocument, OpenApiResponse } from '@evenkeel/contracts';
import { AnswerSchemas, documentedAnswers } from './documented-answers';

const schema = { type: 'object', required: ['count'], properties: { count: { type: 'integer' } } };

function aDocument(responses: Record<string, OpenApiResponse>): OpenApiDocument {
  const operation = { operationId: 'getBook', summary: '', description: '', tags: [], security: [], responses };
  return { openapi: '3.1.0', info: { title: 'Library', version: '1' }, paths: { '/books/{id}': { get: operation } } };
}

const counted = (examples: object, type: object = schema): OpenApiResponse => ({
  description: 'counted',
  content: { 'application/json': { schema: type, examples: examples as Record<string, { value: unknown }> } },
});

describe('the answers of a document', () => {
  it('are its examples, with what provokes them, and answers without a body', () => {
    const request = { path: '/books/1' };
    const examples = { few: { value: { count: 1 } }, many: { value: { count: 9 }, 'x-request': request } };
    expect(documentedAnswers(aDocument({ 200: counted(examples), 304: { description: 'known' } }))).toMatchObject([
      { path: '/books/{id}', method: 'get', status: 200, name: 'few', value: { count: 1 }, request: {} },
      { status: 200, name: 'many', request },
      { status: 304, name: null },
    ]);
  });

  it('cannot be left without an example', () => {
    expect(() => documentedAnswers(aDocument({ 200: counted({}) }))).toThrow('get /books/{id} has no example');
  });
});

describe('the lists of a document', () => {
  const pages = { type: 'array', items: { type: 'object', properties: { notes: { type: 'array', items: {} } } } };
  const example = { one: { value: { pages: [] } } };
  const document = aDocument({ 200: counted(example, { type: 'object', properties: { pages } }) });

  it.each<[string, unknown, string[]]>([
    ['empty', { pages: [] }, ['getBook.pages', 'getBook.pages[].notes']],
    ['an item with an empty list', { pages: [{ notes: [] }] }, ['getBook.pages[].notes']],
    ['full', { pages: [{}, { notes: ['torn'] }] }, []],
  ])('are seen or not: %s', (_, body, expected) => {
    const schemas = new AnswerSchemas(document);
    expect(schemas.faultsIn('getBook', { status: 200, body })).toEqual([]);
    expect(schemas.listsNotSeen()).toEqual(expected);
  });
});

describe('an answer', () => {
  const faultsOf = (document: OpenApiDocument, body: unknown) =>
    new AnswerSchemas(document).faultsOf(documentedAnswers(document)[0]!, body);
  const one = { one: { value: { count: 1 } } };

  it('fits its schema', () => expect(faultsOf(aDocument({ 200: counted(one) }), { count: 2 })).toEqual([]));

  it.each<[string, OpenApiResponse, unknown, RegExp]>([
    ['is wrong', counted(one), { count: 'two' }, /^the answer: .*integer/],
    ['has a wrong example', counted({ one: { value: {} } }), { count: 2 }, /^the example: .*count/],
    ['has a schema of anything', counted(one, {}), { count: 2 }, /anything/],
  ])('%s', (_, response, body, fault) =>
    expect(faultsOf(aDocument({ 200: response }), body)).toEqual([expect.stringMatching(fault)]),
  );
});
