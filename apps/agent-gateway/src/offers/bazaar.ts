import { requestSchema, resultSchema, type JsonSchema, type PaidEndpoint } from '@evenkeel/contracts';
import { firstForm, resolve } from './body-fields';

const LARGEST_TELLING_BOUND = 1_000_000;
const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** Discovery metadata: an example (`info`) and the schema that validates it. */
export interface Bazaar {
  info: object;
  schema: JsonSchema;
}
export type CompactBazaar = Bazaar;

/** For the 402 body: the schemas of request and result in full. */
export function completeBazaar(endpoint: PaidEndpoint): Bazaar {
  return {
    info: info(endpoint.exampleInput, endpoint.exampleResult),
    schema: bazaarSchema(requestSchema(endpoint), resultSchema(endpoint)),
  };
}

/** For the header and the facilitator: the request two levels deep, of the result the types of its members, so that 4096 characters suffice. */
export function compactBazaar(endpoint: PaidEndpoint): CompactBazaar {
  const request = firstForm(requestSchema(endpoint));
  return {
    info: info(endpoint.exampleInput, outline(endpoint.exampleResult)),
    schema: bazaarSchema(shallow(request, request, 2), memberTypes(resultSchema(endpoint))),
  };
}

function info(body: object, example: object): object {
  return { input: { type: 'http', method: 'POST', bodyType: 'json', body }, output: { type: 'json', example } };
}

function bazaarSchema(body: JsonSchema, example: JsonSchema): JsonSchema {
  const { $defs: bodyDefs, $schema: _bodyDraft, ...request } = body;
  const { $defs: exampleDefs, $schema: _exampleDraft, ...result } = example;
  const defs = { ...bodyDefs, ...exampleDefs };
  return {
    $schema: DRAFT,
    type: 'object',
    required: ['input'],
    properties: {
      input: {
        type: 'object',
        required: ['type', 'method', 'bodyType', 'body'],
        properties: {
          type: { const: 'http' },
          method: { enum: ['POST'] },
          bodyType: { enum: ['json'] },
          body: request,
        },
        additionalProperties: false,
      },
      output: { type: 'object', required: ['type'], properties: { type: { const: 'json' }, example: result } },
    },
    ...(Object.keys(defs).length > 0 && { $defs: defs }),
  };
}

/** An example cut down to what the compact schema describes: lists emptied, objects with their first plain member, no prose. */
function outline(example: object): object {
  return Object.fromEntries(
    Object.entries(example)
      .filter(([, value]) => typeof value !== 'string')
      .map(([name, value]) => [name, outlineOf(value)]),
  );
}

function outlineOf(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => typeof member !== 'object')
      .slice(0, 1),
  );
}

/** The types of the members that every result has. */
function memberTypes({ properties = {}, required = [] }: JsonSchema): JsonSchema {
  const types = required.map((name) => [name, { type: properties[name]?.type ?? 'object' }]);
  return { type: 'object', properties: Object.fromEntries(types) as Record<string, JsonSchema> };
}

/** Types, required members and bounds down to a depth; no references, no prose. */
function shallow(schema: JsonSchema, root: JsonSchema, depth: number): JsonSchema {
  const { type, required, properties, items, minimum, maximum, minItems, maxItems, ...rest } = resolve(schema, root);
  const kept: JsonSchema = { type, minimum, maximum, enum: rest.enum, minItems, maxItems };
  // What only keeps integers in their column says nothing to a buyer.
  if (maximum !== undefined && maximum > LARGEST_TELLING_BOUND) delete kept.maximum;
  if (depth > 0 && properties) {
    kept.required = required;
    kept.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, shallow(property, root, depth - 1)]),
    );
  }
  if (depth > 0 && items) kept.items = shallow(items, root, depth);
  return JSON.parse(JSON.stringify(kept)) as JsonSchema;
}
