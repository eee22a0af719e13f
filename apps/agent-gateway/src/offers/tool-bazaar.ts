import type { JsonSchema, PaidEndpoint } from '@evenkeel/contracts';
import { compactBazaar, type CompactBazaar } from './bazaar';

const TRANSPORT = 'streamable-http';

/** Discovery metadata of a tool: clients send it back with each payment, so it is the compact one (payments.md section 2). */
export function toolBazaar(endpoint: PaidEndpoint): CompactBazaar {
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
