import type { OpenApiDocument } from '@evenkeel/contracts';
import { mergeParts } from './merge-parts';

const aPart = (path: string, over: Partial<OpenApiDocument> = {}, security = {}): OpenApiDocument => ({
  openapi: '3.1.0',
  info: { title: 'A part', version: '1.0.0' },
  tags: [{ name: 'Money' }],
  paths: {
    [path]: {
      get: {
        operationId: 'readSomething',
        summary: 'Something',
        description: 'It.',
        tags: ['Money'],
        security: Object.keys(security).length > 0 ? [security] : [],
        responses: {},
      },
    },
  },
  components: { schemas: { Money: { type: 'object' } } },
  ...over,
});

describe('the parts of the OpenAPI document', () => {
  it('become one, in their order, with what they share once', () => {
    const { paths, tags, components } = mergeParts([aPart('/b'), aPart('/a')]);
    expect(Object.keys(paths)).toEqual(['/b', '/a']);
    expect(tags).toEqual([{ name: 'Money' }]);
    expect(components).toEqual({ schemas: { Money: { type: 'object' } } });
  });

  it('may not mean different things by one name', () => {
    const other = aPart('/a', { components: { schemas: { Money: { type: 'string' } } } });
    expect(() => mergeParts([aPart('/b'), other])).toThrow(/disagree about schemas Money/);
  });

  it('may not claim one path with different operations', () => {
    const other = aPart('/a', {}, { adminToken: [] });
    expect(() => mergeParts([aPart('/a'), other])).toThrow(/disagree about path \/a/);
  });
});
