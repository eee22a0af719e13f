import { openApiParts } from '../openapi/open-api';
import { forGenerators } from './for-generators';

type Choices = readonly { type?: unknown }[];
type Part = { type?: unknown; enum?: unknown; anyOf?: Choices; oneOf?: Choices };

/** Valid OpenAPI 3.1 that generators of clients in Go, Java and Python cannot compile. */
function faultsOf(part: unknown, place = ''): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { type, enum: values, anyOf = [], oneOf = [] } = part as Part;
  const faults = {
    'has several types': Array.isArray(type) && type.filter((one) => one !== 'null').length > 1,
    'is a boolean or a fraction with a list of values':
      (type === 'boolean' || type === 'number') && Array.isArray(values),
    'is a list or something else': [anyOf, oneOf].some((choices) => choices.some((one) => one.type === 'array')),
    'is null in two ways': anyOf.filter((one) => [one.type].flat().includes('null')).length > 1,
  };
  const own = Object.entries(faults).flatMap(([fault, isThere]) => (isThere ? [`${place} ${fault}`] : []));
  return own.concat(Object.entries(part).flatMap(([name, inner]) => faultsOf(inner, `${place}/${name}`)));
}

it.each([...openApiParts()])('the document of %s has no schema that generators cannot compile', (_, part) => {
  expect(faultsOf(part)).toEqual([]);
});

it('a boolean or a fraction of one value is limited in words, and names that differ by an underscore are apart', () => {
  const token = { type: 'string' };
  const properties = {
    delivered: { type: 'boolean', enum: [true], description: 'Given before' },
    level: { type: 'number', enum: [0.95] },
    version: { type: 'integer', enum: [1] },
    accessToken: token,
    access_token: token,
  };
  expect(forGenerators({ properties })).toEqual({
    properties: {
      delivered: { type: 'boolean', description: 'Given before. Always true' },
      level: { type: 'number', description: 'Always 0.95' },
      version: { type: 'integer', enum: [1] },
      accessToken: token,
      access_token: { type: 'string', 'x-go-name': 'AccessTokenAlias' },
    },
  });
  const document = { examples: { tool: { value: { type: 'boolean', enum: [true] } } } };
  expect(forGenerators(document)).toEqual(document);
});
