import type { PaidEndpoint } from '@evenkeel/contracts';
import { MICROS_PER_USD } from '@evenkeel/kernel';
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { AnswerCall, PaymentInstrument } from '../payments/answer-call';
import type { RequestBodies } from '../payments/request-bodies';
import { sent } from '../calls/answer';
import type { CallFacts } from '../calls/call';
import { acceptsEntryV2 } from '../offers/accepts';
import type { PaymentTerms } from '../config/payment-terms';
import type { AddressLimits } from '../limits/address-limits';
import { PaymentRefused } from '../calls/payment-refused';
import { idempotencyKeyIn, instrumentIn } from './instrument-in';
import { READS_ONLY, type Tool, type ToolCall } from './tool';
import { priceOf, type ToolOffers } from './tool-offers';
import { metaOf, paidResult, RECEIPT } from './tool-results';
import { toolInputSchema, toolOutputSchema } from './tool-schemas';

/** What a paid tool shares with its sisters. */
export interface PaidToolParts {
  terms: PaymentTerms;
  offerDigest: string;
  offers: ToolOffers;
  bodies: RequestBodies;
  addresses: AddressLimits;
  answerCall: AnswerCall;
}

/** One paid endpoint as a tool: the order of checks, the ledger and the answers are those of HTTP. */
export class PaidTool implements Tool {
  readonly declaration: Tool['declaration'];

  constructor(
    private readonly endpoint: PaidEndpoint,
    private readonly parts: PaidToolParts,
  ) {
    this.declaration = declarationOf(endpoint, parts);
  }

  async call(call: ToolCall): Promise<CallToolResult> {
    const instrument = instrumentIn(call);
    const result = await (instrument === null ? this.unpaid(call) : this.paid(call, instrument));
    // One early client reads its receipt where it put its payment.
    const receipt = call.meta['x402.payment'] !== undefined && result._meta?.[RECEIPT];
    return receipt ? { ...result, _meta: { ...result._meta, 'x402.payment-response': receipt } } : result;
  }

  private async unpaid({ arguments: input, context }: ToolCall): Promise<CallToolResult> {
    const { addresses, bodies, offers } = this.parts;
    const standing = await addresses.unpaid.take(context.caller);
    if (!standing.allowed) throw addresses.unpaid.refusal(standing);
    Object.assign(context.answerHeaders, addresses.unpaid.headers(standing));
    const preflight = input ? bodies.preflightOfValue(this.endpoint, input) : ({ body_present: false } as const);
    return offers.unpaid(this.endpoint, preflight);
  }

  private async paid(call: ToolCall, instrument: PaymentInstrument): Promise<CallToolResult> {
    const { endpoint } = this;
    const { addresses, answerCall, bodies, offers } = this.parts;
    const { caller, requestId, deadline, answerHeaders } = call.context;
    const ofCredit: Record<string, string> = {};
    try {
      const attempt = await addresses.admit(caller);
      const body = bodies.readValue(endpoint, call.arguments ?? {});
      const facts: CallFacts = {
        surface: 'mcp',
        endpoint,
        ...body,
        idempotencyKey: idempotencyKeyIn(call),
        requestId,
        deadline,
      };
      const answer = await answerCall.execute(facts, instrument, attempt, (headers) =>
        Object.assign(ofCredit, headers),
      );
      Object.assign(answerHeaders, limitHeaders(answer.headers));
      const result = paidResult(sent(answer));
      return { ...result, _meta: { ...metaOf(ofCredit), ...result._meta } };
    } catch (error) {
      Object.assign(answerHeaders, await addresses.countUnpaid(caller, error));
      if (!(error instanceof PaymentRefused)) throw error;
      const { code, message, details, headers } = error;
      Object.assign(answerHeaders, limitHeaders(headers));
      const offer = offers.refused(endpoint, { error: code, message, details });
      return { ...offer, _meta: { ...offer._meta, ...metaOf({ ...ofCredit, ...headers }) } };
    }
  }
}

function declarationOf(endpoint: PaidEndpoint, { terms, offerDigest }: PaidToolParts): Tool['declaration'] {
  const { toolName, title, description, priceMicros } = endpoint;
  return {
    name: toolName,
    title,
    // Programs may run tools that only read without asking: the price comes first.
    description: `Costs ${priceOf(endpoint)} a call, paid over x402. ${description}`,
    inputSchema: toolInputSchema(endpoint),
    outputSchema: toolOutputSchema(endpoint),
    annotations: { title, ...READS_ONLY },
    _meta: {
      'agents-x402/paymentRequired': true,
      'agents-x402/priceUSD': priceMicros / MICROS_PER_USD,
      x402: { paymentRequired: true, ...acceptsEntryV2(endpoint, terms) },
      'evenkeel/offer-digest': offerDigest,
    },
  };
}

/** Of HTTP, whoever wrote the message: how a limit stands. */
function limitHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => /^ratelimit/i.test(name)));
}
