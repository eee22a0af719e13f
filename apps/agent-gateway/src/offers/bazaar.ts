import { requestSchema, resultSchema, type JsonSchema, type PaidEndpoint } from '@evenkeel/contracts';

const LARGEST_USEFUL_BOUND = 1_000_000;
const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** Discovery metadata: an example (`info`) and the schema that validates it. */
export interface Bazaar {
  info: object;
  schema: JsonSchema;
}

/** For the 402 body: the schemas of request and result in full. */
export function completeBazaar(endpoint: PaidEndpoint): Bazaar {
  return {
    info: info(endpoint.exampleInput, endpoint.exampleResult),
    schema: bazaarSchema(requestSchema(endpoint), resultSchema(endpoint)),
  };
}

/** For the header and the facilitator: the request two levels deep, of the result the types of its members, so that 4096 characters suffice. */
export function compactBazaar(endpoint: PaidEndpoint): Bazaar {
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
  const shown: JsonSchema = { type, minimum, maximum, enum: rest.enum, minItems, maxItems };
  // A bound that is only the range of a column means nothing to a buyer.
  if (maximum !== undefined && maximum > LARGEST_USEFUL_BOUND) delete shown.maximum;
  if (depth > 0 && properties) {
    shown.required = required;
    shown.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, shallow(property, root, depth - 1)]),
    );
  }
  if (depth > 0 && items) shown.items = shallow(items, root, depth);
  return JSON.parse(JSON.stringify(shown)) as JsonSchema;
}

const TRANSPORT = 'streamable-http';

/** Discovery metadata of a tool: clients send it back with each payment, so it is the compact one. */
export function toolBazaar(endpoint: PaidEndpoint): Bazaar {
  const { info, schema } = compactBazaar(endpoint) as unknown as HttpBazaar;
  const { toolName, exampleInput: example } = endpoint;
  const inputSchema = schema.properties.input.properties.body;
  return {
    info: { input: { type: 'mcp', toolName, transport: TRANSPORT, inputSchema, example }, output: info.output },
    schema: {
      ...schema,
      properties: {
        ...schema.properties,
        input: {
          type: 'object',
          required: ['type', 'toolName', 'inputSchema'],
          properties: {
            type: { const: 'mcp' },
            toolName: { const: toolName },
            transport: { const: TRANSPORT },
            inputSchema: { type: 'object' },
            example: { type: 'object' },
          },
          additionalProperties: false,
        },
      },
    },
  };
}

interface HttpBazaar {
  info: { output: object };
  schema: JsonSchema & { properties: { input: { properties: { body: JsonSchema } }; output: JsonSchema } };
}

/** The members of the request body, as version 1 listings read them. */
export function bodyFields(endpoint: PaidEndpoint): object {
  const { properties = {}, required = [] } = firstForm(requestSchema(endpoint));
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      {
        type: schema.type,
        required: required.includes(name),
        description: schema.description,
        default: schema.default,
      },
    ]),
  );
}

/** The schema of the first form a body may have (plan has two): what compact descriptions show. */
function firstForm(schema: JsonSchema): JsonSchema {
  const form = schema.oneOf?.[0];
  return form ? { ...resolve(form, schema), $defs: schema.$defs } : schema;
}

/** Follows a reference into the schema's own `$defs`. */
export function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const name = schema.$ref?.replace('#/$defs/', '');
  return name === undefined ? schema : (root.$defs?.[name] ?? {});
}
