import { requestSchema, resultSchema, type JsonSchema, type PaidEndpoint } from '@evenkeel/contracts';
import type { Tool as ToolDeclaration } from '@modelcontextprotocol/server';
import { resolve } from '../offers/bazaar';

type ToolSchema = ToolDeclaration['inputSchema'];

/**
 * What a tool takes. Model providers refuse a choice at the top of a schema, so two forms become one with the members of
 * both; which of them go together is for our own validator to say.
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
 * All that a paid tool may answer. Clients of the old line hold errors to it too, and would never see the price if it
 * described results alone.
 */
export function toolOutputSchema(endpoint: PaidEndpoint): ToolSchema {
  const { $schema: _draft, $defs, title, ...result } = resultSchema(endpoint);
  return asToolSchema({
    title,
    anyOf: [
      result,
      { title: 'The price: pay and call again', required: ['x402Version', 'accepts'] },
      { title: 'An error', required: ['error', 'message'] },
    ],
    $defs,
  });
}

function asToolSchema(schema: JsonSchema | object): ToolSchema {
  return { ...schema, type: 'object' } as ToolSchema;
}
