import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import { ValidationFailed } from '@evenkeel/platform/validation';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { RequestBodies } from '../payments/request-bodies';
import { Offers } from '../offers/offers';
import { READS_ONLY, type Tool, type ToolCall } from './tool';
import { objectResult } from './tool-results';

const TOOL_NAMES = PAID_ENDPOINTS.map(({ toolName }) => toolName);

/** Would a paid tool take these arguments, and for how much? The validator is the one that decides after payment. */
@Injectable()
export class CheckInput implements Tool {
  readonly declaration: Tool['declaration'];

  constructor(
    private readonly bodies: RequestBodies,
    private readonly offers: Offers,
  ) {
    this.declaration = {
      name: 'check_input',
      title: 'Check input',
      description:
        'Free. Says whether a paid tool would accept these arguments, with the path of every mistake, and its exact price.',
      inputSchema: {
        type: 'object',
        properties: {
          tool: { type: 'string', enum: TOOL_NAMES, description: 'Name of a paid tool.' },
          arguments: { type: 'object', description: 'The arguments you would call it with.' },
        },
        required: ['tool', 'arguments'],
        additionalProperties: false,
      },
      annotations: { title: 'Check input', ...READS_ONLY },
      _meta: { 'evenkeel/offer-digest': offers.digest },
    };
  }

  call({ arguments: { tool, arguments: input } = {} }: ToolCall): Promise<CallToolResult> {
    const endpoint = PAID_ENDPOINTS.find(({ toolName }) => toolName === tool);
    if (!endpoint) throw unknownTool();
    const preflight = this.bodies.preflightOfValue(endpoint, input ?? null);
    const { priceMicros, maxItems } = endpoint;
    const { body_present: _alwaysPresent, ...verdict } = preflight as { body_present: true };
    return Promise.resolve(
      objectResult({
        tool,
        ...verdict,
        price: usdAmount(priceMicros),
        amount_atomic: String(priceMicros),
        max_items: maxItems,
        offer_digest: this.offers.digest,
        charged: false,
      }),
    );
  }
}

function unknownTool(): ValidationFailed {
  const expected = { enum: TOOL_NAMES };
  return new ValidationFailed([{ path: '/tool', code: 'not_in_enum', message: 'must be a paid tool', expected }]);
}
