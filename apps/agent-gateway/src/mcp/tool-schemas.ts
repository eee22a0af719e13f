import { requestSchema, resultSchema, type JsonSchema, type PaidEndpoint } from '@evenkeel/contracts';
import type { Tool as ToolDeclaration } from '@modelcontextprotocol/server';
import { resolve } from '../offers/bazaar';

type ToolSchema = ToolDeclaration['inputSchema'];

/**
 * The arguments of a tool. Model providers refuse a choice at the top of a schema, so two forms become one with the members
 * of both. Our own validator decides which members go together.
 */
export function toolInputSchema(endpoint: PaidEndpoint): ToolSchema {
  const { $schema: _draft, oneOf, ...schema } = requestSchema(endpoint);
  if (!oneOf) return asToolSchema(schema);
  const forms = oneOf.map((form) => resolve(form, schema));
  // The first form has the wider bounds.
  const properties = Object.assign({}, ...forms.toReversed().map((form) => form.properties)) as object;
  return asToolSchema({ ...schema, properties, additionalProperties: false });
}

/**
 * All answers of a paid tool. Clients of the protocol before 2026-07-28 check errors against it too, and would never see the
 * price if it described results alone.
 */
export function toolOutputSchema(endpoint: PaidEndpoint): ToolSchema {
  const { $schema: _draft, $defs, title, ...result } = resultSchema(endpoint);
  const type = 'object';
  return asToolSchema({
    title,
    anyOf: [
      result,
      { title: 'The price: pay and call again', type, required: ['x402Version', 'accepts'] },
      { title: 'An error', type, required: ['error', 'message'] },
    ],
    $defs,
  });
}

function asToolSchema(schema: JsonSchema | object): ToolSchema {
  return { ...(singleTyped(schema) as object), type: 'object' };
}

/** The same schema with one type in each place: clients that translate schemas for a model drop a list of types, or the tool. */
function singleTyped(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(singleTyped);
  if (typeof node !== 'object' || node === null) return node;
  const schema = Object.fromEntries(Object.entries(node).map(([name, member]) => [name, singleTyped(member)]));
  const { type, title, description, ...rest } = schema as JsonSchema;
  if (!Array.isArray(type)) return schema;
  const said = { ...(title !== undefined && { title }), ...(description !== undefined && { description }) };
  return { ...said, anyOf: type.map((one) => (one === 'null' ? { type: one } : { type: one, ...rest })) };
}
