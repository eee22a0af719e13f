import type { IncomingHttpHeaders } from 'node:http';
import { PAID_ENDPOINTS, type PaidEndpoint } from '@evenkeel/contracts';
import { MICROS_PER_USD, usdAmount } from '@evenkeel/kernel';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { type CallFacts, sent } from '../calls/call';
import { invalidPaymentPayload, type Payment, PaymentRefused } from '../calls/payment';
import { PaymentTerms } from '../config/payment-terms';
import { AddressLimits } from '../limits/caller-limits';
import { acceptsEntryV2, mcpUrl, requirementsV1 } from '../offers/accepts';
import { toolBazaar } from '../offers/bazaar';
import { challengeHeader, type ChallengeReason, type Preflight } from '../offers/challenges';
import { Offers } from '../offers/offers';
import { creditHeader, decodePayment, decodePaymentObject, idempotencyKey } from '../payments/decode-payment';
import { RequestBodies } from '../payments/paid-requests';
import { AnswerCall, type PaymentInstrument } from '../payments/pay';
import {
  metaOf,
  objectResult,
  paidResult,
  READS_ONLY,
  SETTLEMENT_RESPONSE,
  type Tool,
  type ToolCall,
  toolInputSchema,
  toolOutputSchema,
} from './tool';

/**
 * The price of a tool as every client looks for it: a tool result marked as an error, the version 2 object in
 * `structuredContent` and as the first text, and once more in `_meta`, there with a version 1 entry beside it (docs/adr/0013).
 */
@Injectable()
export class ToolOffers {
  private readonly offers: ReadonlyMap<PaidEndpoint, ReturnType<typeof offerOf>>;

  constructor(terms: PaymentTerms, { digest }: Offers) {
    this.offers = new Map(PAID_ENDPOINTS.map((endpoint) => [endpoint, offerOf(endpoint, terms, digest)]));
  }

  /** For a call without payment and credit; the verdict on the arguments is free. */
  unpaid(endpoint: PaidEndpoint, preflight: Preflight): CallToolResult {
    const message = `${endpoint.toolName} costs ${priceOf(endpoint)} a call and was not paid. Nothing was charged.`;
    const details = { charged: false, retry: 'pay_again' };
    return this.refused(endpoint, { error: 'payment_required', message, details }, { preflight });
  }

  /** For a call whose payment or credit was refused: a fresh offer with the reason. */
  refused(endpoint: PaidEndpoint, { error, message, details }: ChallengeReason, more: object = {}): CallToolResult {
    const { version2, version1Entry, instructions } = this.offers.get(endpoint)!;
    const offer = { ...version2, error, message, details, extensions: { ...version2.extensions, ...more } };
    const { structuredContent, content } = objectResult(offer);
    return {
      isError: true,
      structuredContent,
      content: [...content, { type: 'text', text: `${message} ${instructions}` }],
      _meta: { 'x402/error': { ...offer, accepts: [...version2.accepts, version1Entry] } },
    };
  }
}

function offerOf(endpoint: PaidEndpoint, terms: PaymentTerms, offerDigest: string) {
  const { x402Version, resource, accepts, extensions } = challengeHeader(endpoint, terms, '');
  const url = mcpUrl(terms);
  return {
    version2: {
      x402Version,
      error: '',
      message: '',
      resource: { ...resource, url },
      accepts,
      price: usdAmount(endpoint.priceMicros),
      details: {},
      offer_digest: offerDigest,
      extensions: { ...extensions, bazaar: toolBazaar(endpoint) },
    },
    // Without `outputSchema`: the declaration of the tool has it.
    version1Entry: { ...requirementsV1(endpoint, terms), resource: url, outputSchema: undefined },
    instructions:
      `To pay ${priceOf(endpoint)}, sign the entry of accepts (x402, scheme exact) and repeat the call with the payment in ` +
      '_meta["x402/payment"]; or put a credit into _meta["evenkeel/credit"]. The same payment is never charged twice.',
  };
}

function priceOf({ priceMicros }: PaidEndpoint): string {
  return `${usdAmount(priceMicros).usd.toFixed(2)} USD`;
}

/** One tool for each paid endpoint, in the order of the price list. The checks, the ledger and the answers are those of HTTP. */
@Injectable()
export class PaidTools {
  readonly all: readonly Tool[];

  constructor(
    terms: PaymentTerms,
    { digest }: Offers,
    private readonly offers: ToolOffers,
    private readonly bodies: RequestBodies,
    private readonly addresses: AddressLimits,
    private readonly answerCall: AnswerCall,
  ) {
    this.all = PAID_ENDPOINTS.map((endpoint) => ({
      declaration: declarationOf(endpoint, terms, digest),
      call: (call) => this.call(endpoint, call),
    }));
  }

  private async call(endpoint: PaidEndpoint, call: ToolCall): Promise<CallToolResult> {
    call.context.reached++;
    const instrument = instrumentIn(call);
    const result = await (instrument === null ? this.unpaid(endpoint, call) : this.paid(endpoint, call, instrument));
    // One early client reads the settlement response under the name under which it sent its payment.
    const response = call.meta['x402.payment'] !== undefined && result._meta?.[SETTLEMENT_RESPONSE];
    return response ? { ...result, _meta: { ...result._meta, 'x402.payment-response': response } } : result;
  }

  private async unpaid(endpoint: PaidEndpoint, { arguments: input, context }: ToolCall): Promise<CallToolResult> {
    const { unpaid } = this.addresses;
    const status = await unpaid.take(context.caller);
    if (!status.allowed) throw unpaid.refusal(status);
    Object.assign(context.answerHeaders, unpaid.headers(status));
    const preflight = input ? this.bodies.preflightOfValue(endpoint, input) : ({ body_present: false } as const);
    return this.offers.unpaid(endpoint, preflight);
  }

  private async paid(endpoint: PaidEndpoint, call: ToolCall, instrument: PaymentInstrument): Promise<CallToolResult> {
    const { caller, requestId, deadline, answerHeaders } = call.context;
    const ofCredit: Record<string, string> = {};
    try {
      const attempt = await this.addresses.admit(caller);
      const body = this.bodies.readValue(endpoint, call.arguments ?? {});
      const about = { idempotencyKey: idempotencyKeyIn(call), requestId, deadline };
      const facts: CallFacts = { surface: 'mcp', endpoint, ...body, ...about };
      const answer = await this.answerCall.execute(facts, instrument, attempt, (headers) =>
        Object.assign(ofCredit, headers),
      );
      Object.assign(answerHeaders, limitHeaders(answer.headers));
      const result = paidResult(sent(answer));
      return { ...result, _meta: { ...metaOf(ofCredit), ...result._meta } };
    } catch (error) {
      Object.assign(answerHeaders, await this.addresses.countUnpaid(caller, error));
      if (!(error instanceof PaymentRefused)) throw error;
      const { code, message, details, headers } = error;
      Object.assign(answerHeaders, limitHeaders(headers));
      const offer = this.offers.refused(endpoint, { error: code, message, details });
      return { ...offer, _meta: { ...offer._meta, ...metaOf({ ...ofCredit, ...headers }) } };
    }
  }
}

function declarationOf(endpoint: PaidEndpoint, terms: PaymentTerms, offerDigest: string): Tool['declaration'] {
  const { toolName, title, description, priceMicros } = endpoint;
  return {
    name: toolName,
    title,
    // Programs may run tools that only read without asking a person, so the text begins with the price.
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

function limitHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => /^ratelimit/i.test(name)));
}

/** One early client uses the second. */
const PAYMENT_KEYS = ['x402/payment', 'x402.payment'];
const PAYMENT_HEADERS = ['payment-signature', 'x-payment'];

interface SentPayment {
  /** Where it was found, for the refusal of one that cannot be read. */
  place: string;
  payment: unknown;
}

/** The payment and the credit of a tool call; null when it has neither. */
export function instrumentIn({
  meta,
  context: { headers },
}: Pick<ToolCall, 'meta' | 'context'>): PaymentInstrument | null {
  const payments: SentPayment[] = [
    ...PAYMENT_KEYS.map((key) => ({ place: `_meta["${key}"]`, payment: meta[key] })),
    ...PAYMENT_HEADERS.map((name) => ({ place: `the header ${name.toUpperCase()}`, payment: headers[name] })),
  ];
  const present = payments.filter(({ payment }) => payment !== undefined && payment !== null && payment !== '');
  const credit = creditIn(meta, headers);
  if (present.length === 0 && credit === null) return null;
  return { credit, payment: present.length === 0 ? null : () => onlyOne(present) };
}

function idempotencyKeyIn({ meta, context: { headers } }: ToolCall): string | null {
  const key = meta['evenkeel/idempotency-key'];
  if (key === undefined || key === null) return idempotencyKey(headers);
  // One that is no text is refused like an empty one.
  return idempotencyKey({ 'idempotency-key': typeof key === 'string' ? key : '' });
}

function creditIn(meta: ToolCall['meta'], headers: IncomingHttpHeaders): string | null {
  const credit = meta['evenkeel/credit'] ?? '';
  if (credit === '') return creditHeader(headers);
  // Whatever is no text is none of ours.
  return typeof credit === 'string' ? credit : JSON.stringify(credit);
}

/** One client sends the same payment in two places. With two different payments it is unclear which one is meant. */
function onlyOne(present: readonly SentPayment[]): Payment {
  const [first, ...others] = present.map(decoded);
  if (others.every(({ payer, nonce }) => payer === first!.payer && nonce === first!.nonce)) return first!;
  throw invalidPaymentPayload('two different payments came with one call; neither was used');
}

function decoded({ place, payment }: SentPayment): Payment {
  try {
    if (typeof payment === 'string') return decodePayment(payment);
    if (typeof payment === 'object' && payment !== null) return decodePaymentObject(payment);
  } catch (error) {
    if (error instanceof PaymentRefused) throw invalidPaymentPayload(`${place}: ${error.message}`);
    throw error;
  }
  throw invalidPaymentPayload(`${place}: the payment is neither an object nor base64 of one`);
}
