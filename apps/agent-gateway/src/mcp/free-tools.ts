import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import { ValidationFailed } from '@evenkeel/platform/validation';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { PaymentTerms } from '../config/payment-terms';
import { Offers } from '../offers/offers';
import { addressIn, FindPaymentStatus } from '../payments/find-payment-status';
import { RequestBodies } from '../payments/paid-requests';
import { priceList } from '../pricing/price-list';
import { WalletStatus } from '../pricing/wallet-status';
import { objectResult, READS_ONLY, type Tool, type ToolCall } from './tool';

const TOOL_BY_PATH = new Map(PAID_ENDPOINTS.map(({ path, toolName }) => [path, toolName]));
const PAID_TOOL_NAMES = [...TOOL_BY_PATH.values()];

/** The tools that cost nothing. */
@Injectable()
export class FreeTools {
  readonly all: readonly Tool[];
  private readonly prices: object;
  private readonly offerDigest: string;

  constructor(
    config: AgentGatewayConfig,
    terms: PaymentTerms,
    { digest }: Offers,
    private readonly wallets: WalletStatus,
    private readonly bodies: RequestBodies,
    private readonly findPaymentStatus: FindPaymentStatus,
  ) {
    const prices = priceList(config, terms, digest);
    const endpoints = prices.endpoints.map((offer) => ({ tool: TOOL_BY_PATH.get(offer.endpoint), ...offer }));
    this.prices = { ...prices, endpoints };
    this.offerDigest = digest;
    this.all = [this.listOffers(), this.checkInput(), this.paymentStatus()];
  }

  /** Answers with the price list of HTTP and the names of the tools. */
  private listOffers(): Tool {
    const description =
      'Free. What each paid tool costs, where the payment goes, and the rebate; with a wallet address also the ' +
      'status of that wallet: tier, lifetime spend, credits.';
    const wallet = { type: 'string', description: 'EVM address of a wallet, not verified.' };
    const meta = { 'evenkeel/offer-digest': this.offerDigest };
    const declaration = declared('list_offers', 'List offers', description, { wallet }, [], meta);
    const call = async ({ arguments: { wallet: given } = {} }: ToolCall): Promise<CallToolResult> => {
      if (given === undefined) return objectResult({ ...this.prices, wallet: null });
      return objectResult({ ...this.prices, wallet: await this.wallets.of(addressIn(given, '/wallet')) });
    };
    return { declaration, call };
  }

  /** Says whether a paid tool would accept some arguments, by the validator that decides after payment, and its price. */
  private checkInput(): Tool {
    const description =
      'Free. Says whether a paid tool would accept these arguments, with the path of every mistake, and its exact price.';
    const properties = {
      tool: { type: 'string', enum: PAID_TOOL_NAMES, description: 'Name of a paid tool.' },
      arguments: { type: 'object', description: 'The arguments you would call it with.' },
    };
    const meta = { 'evenkeel/offer-digest': this.offerDigest };
    const declaration = declared('check_input', 'Check input', description, properties, ['tool', 'arguments'], meta);
    const call = async ({ arguments: { tool, arguments: input } = {} }: ToolCall): Promise<CallToolResult> => {
      const endpoint = PAID_ENDPOINTS.find(({ toolName }) => toolName === tool);
      if (!endpoint) throw unknownTool();
      const { priceMicros, maxItems } = endpoint;
      const { body_present: _alwaysPresent, ...verdict } = this.bodies.preflightOfValue(endpoint, input ?? null);
      return objectResult({
        tool,
        ...verdict,
        price: usdAmount(priceMicros),
        amount_atomic: String(priceMicros),
        max_items: maxItems,
        offer_digest: this.offerDigest,
        charged: false,
      });
    };
    return { declaration, call };
  }

  /** Answers "Was I charged?" */
  private paymentStatus(): Tool {
    const description =
      'Free. Whether the payment with this authorization nonce was charged, its transaction, until when the identical call ' +
      'gets its answer again, and whether to repeat it.';
    const properties = {
      nonce: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$', description: 'Nonce of the signed authorization.' },
      payer: { type: 'string', description: 'Its wallet, should several have used the nonce.' },
    };
    const declaration = declared('payment_status', 'Payment status', description, properties, ['nonce']);
    const call = async ({ arguments: { nonce, payer } = {} }: ToolCall): Promise<CallToolResult> =>
      objectResult(await this.findPaymentStatus.execute(nonce, payer));
    return { declaration, call };
  }
}

function declared(
  name: string,
  title: string,
  description: string,
  properties: Tool['declaration']['inputSchema']['properties'],
  required: string[],
  _meta?: Record<string, unknown>,
): Tool['declaration'] {
  const needed = required.length > 0 ? { required } : {};
  const inputSchema = { type: 'object' as const, properties, ...needed, additionalProperties: false };
  return { name, title, description, inputSchema, annotations: { title, ...READS_ONLY }, ...(_meta && { _meta }) };
}

function unknownTool(): ValidationFailed {
  const expected = { enum: PAID_TOOL_NAMES };
  return new ValidationFailed([{ path: '/tool', code: 'not_in_enum', message: 'must be a paid tool', expected }]);
}
