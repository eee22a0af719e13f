import { withExamples } from '.';

it('examples belong to operations that there are', () => {
  const document = { openapi: '3.1.0', info: { title: 'A part', version: '1.0.0' }, paths: {} } as const;
  expect(() => withExamples(document, { cancelOrder: {} })).toThrow('the document has no operation cancelOrder');
});
