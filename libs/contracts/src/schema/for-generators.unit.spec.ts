import { openApiParts } from '../openapi/open-api';
import { forGenerators } from './for-generators';

/** Valid OpenAPI 3.1 that generators of clients in Go, Java and Python cannot compile. */
function faultsOf(part: unknown, place = ''): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { type, enum: values } = part as { type?: unknown; enum?: unknown };
  const faults: string[] = [];
  if (Array.isArray(type) && type.filter((one) => one !== 'null').length > 1) faults.push(`${place} has several types`);
  if (type === 'boolean' && Array.isArray(values)) faults.push(`${place} is a boolean with a list of values`);
  if (type === 'number' && Array.isArray(values)) faults.push(`${place} is a fraction with a list of values`);
  if (isListOrOther(part)) faults.push(`${place} is a list or something else`);
  if (saysNullTwice(part)) faults.push(`${place} is null in two ways`);
  return faults.concat(Object.entries(part).flatMap(([name, inner]) => faultsOf(inner, `${place}/${name}`)));
}

function isListOrOther({
  anyOf = [],
  oneOf = [],
}: {
  anyOf?: { type?: unknown }[];
  oneOf?: { type?: unknown }[];
}): boolean {
  return [anyOf, oneOf].some((choices) => choices.some(({ type }) => type === 'array'));
}

function saysNullTwice({ anyOf = [] }: { anyOf?: { type?: unknown }[] }): boolean {
  return anyOf.filter(({ type }) => [type].flat().includes('null')).length > 1;
}

it.each([...openApiParts()])('the document of %s has no schema that generators cannot compile', (_, part) => {
  expect(faultsOf(part)).toEqual([]);
});

describe('a document for generators', () => {
  it('says in words that a boolean or a fraction has one value', () => {
    const properties = {
      delivered: { type: 'boolean', enum: [true], description: 'Given before' },
      verified: { type: 'boolean', enum: [false] },
      level: { type: 'number', enum: [0.95] },
      version: { type: 'integer', enum: [1] },
      tier: { type: 'string', enum: ['a'] },
    };
    expect(forGenerators({ properties })).toEqual({
      properties: {
        delivered: { type: 'boolean', description: 'Given before. Always true' },
        verified: { type: 'boolean', description: 'Always false' },
        level: { type: 'number', description: 'Always 0.95' },
        version: { type: 'integer', enum: [1] },
        tier: { type: 'string', enum: ['a'] },
      },
    });
  });

  it('names properties apart that differ by an underscore', () => {
    const token = { type: 'string' };
    expect(forGenerators({ properties: { accessToken: token, access_token: token, userId: token } })).toEqual({
      properties: {
        accessToken: token,
        access_token: { type: 'string', 'x-go-name': 'AccessTokenAlias' },
        userId: token,
      },
    });
  });

  it('has the examples as they are', () => {
    const document = { examples: { tool: { value: { type: 'boolean', enum: [true] } } } };
    expect(forGenerators(document)).toEqual(document);
  });
});
