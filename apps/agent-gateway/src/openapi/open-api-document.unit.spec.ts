import type { OpenApiDocument } from '@evenkeel/contracts';
import { securitySchemes } from './open-api-document';

const pathsWith = (security: Record<string, string[]>): OpenApiDocument['paths'] => ({
  '/a': {
    get: {
      operationId: 'readSomething',
      summary: 'Something',
      description: 'It.',
      tags: ['Money'],
      security: Object.keys(security).length > 0 ? [security] : [],
      responses: {},
    },
  },
});

describe('security schemes', () => {
  it('are those that some operation names', () => {
    expect(securitySchemes(pathsWith({}))).toEqual({});
    expect(securitySchemes(pathsWith({ adminToken: [] }))).toEqual({
      adminToken: expect.objectContaining({ type: 'apiKey', name: 'X-Admin-Token' }),
    });
  });

  it('must be known', () => {
    expect(() => securitySchemes(pathsWith({ magic: [] }))).toThrow(/no security scheme is called magic/);
  });
});
