import { requestSchema, resultSchema, type JsonSchema, type PaidEndpoint } from '@evenkeel/contracts';
import { firstForm, resolve } from './body-fields';

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

/** For the header and the facilitator: the request two levels deep, the result one, so that 4096 characters suffice. */
export function compactBazaar(endpoint: PaidEndpoint): CompactBazaar {
  const request = firstForm(requestSchema(endpoint));
  const result = resultSchema(endpoint);
  return {
    info: info(endpoint.exampleInput, outline(endpoint.exampleResult)),
    schema: bazaarSchema(shallow(request, request, 2), shallow(result, result, 1)),
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

/** An example cut down to what the shallow schema describes: lists emptied, objects with their first plain member. */
function outline(example: object): object {
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, outlineOf(value)]));
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

/** Types, required members and numeric bounds down to a depth; no references, no prose. */
function shallow(schema: JsonSchema, root: JsonSchema, depth: number): JsonSchema {
  const {
    type,
    required,
    properties,
    items,
    minimum,
    maximum,
    enum: values,
    minItems,
    maxItems,
  } = resolve(schema, root);
  const kept: JsonSchema = { type, minimum, maximum, enum: values, minItems, maxItems };
  if (depth > 0 && properties) {
    kept.required = required;
    kept.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, shallow(property, root, depth - 1)]),
    );
  }
  if (depth > 0 && items) kept.items = shallow(items, root, depth);
  return JSON.parse(JSON.stringify(kept)) as JsonSchema;
}
