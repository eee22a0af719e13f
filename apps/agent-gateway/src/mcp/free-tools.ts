import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { usdAmount } from '@evenkeel/kernel';
import { ValidationFailed } from '@evenkeel/platform/validation';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { getAddress, isAddress } from 'viem';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { PaymentTerms } from '../config/payment-terms';
import { Offers } from '../offers/offers';
import { FindPaymentStatus } from '../payments/find-payment-status';
import { RequestBodies } from '../payments/paid-requests';
import { priceList } from '../pricing/price-list';
import { WalletStatus } from '../pricing/wallet-status';
import { READS_ONLY, type Tool, type ToolCall, objectResult } from './tool';

const TOOL_BY_PATH = new Map(PAID_ENDPOINTS.map(({ path, toolName }) => [path, toolName]));
const PAID_TOOL_NAMES = [...TOOL_BY_PATH.values()];

/** Answers with the price list of HTTP and the names of the tools. */
@Injectable()
export class ListOffers implements Tool {
  readonly declaration: Tool['declaration'];
  private readonly prices: object;

  constructor(
    config: AgentGatewayConfig,
    terms: PaymentTerms,
    { digest: offerDigest }: Offers,
    private readonly wallets: WalletStatus,
  ) {
    const { CREDIT_FACE_MICROS: creditFaceMicros, PAID_ANSWER_BUDGET_MS: timeoutMs, rates } = config;
    const prices = priceList({ terms, offerDigest, creditFaceMicros, timeoutMs, walletRate: rates.agentWallet });
    const endpoints = prices.endpoints.map((offer) => ({ tool: TOOL_BY_PATH.get(offer.endpoint), ...offer }));
    this.prices = { ...prices, endpoints };
    this.declaration = {
      name: 'list_offers',
      title: 'List offers',
      description:
        'Free. What each paid tool costs, where the payment goes, and the rebate; with a wallet address also the ' +
        'status of that wallet: tier, lifetime spend, credits.',
      inputSchema: {
        type: 'object',
        properties: { wallet: { type: 'string', description: 'EVM address of a wallet, not verified.' } },
        additionalProperties: false,
      },
      annotations: { title: 'List offers', ...READS_ONLY },
      _meta: { 'evenkeel/offer-digest': offerDigest },
    };
  }

  async call({ arguments: { wallet } = {} }: ToolCall): Promise<CallToolResult> {
    if (wallet === undefined) return objectResult({ ...this.prices, wallet: null });
    if (typeof wallet === 'string' && isAddress(wallet, { strict: false })) {
      return objectResult({ ...this.prices, wallet: await this.wallets.of(getAddress(wallet)) });
    }
    const message = 'must be an EVM address: 0x and 40 hex digits';
    throw new ValidationFailed([{ path: '/wallet', code: 'bad_format', message }]);
  }
}

/** Says whether a paid tool would accept some arguments, by the validator that decides after payment, and its price. */
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
          tool: { type: 'string', enum: PAID_TOOL_NAMES, description: 'Name of a paid tool.' },
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
  const expected = { enum: PAID_TOOL_NAMES };
  return new ValidationFailed([{ path: '/tool', code: 'not_in_enum', message: 'must be a paid tool', expected }]);
}

/** Answers "Was I charged?" */
@Injectable()
export class PaymentStatusTool implements Tool {
  readonly declaration: Tool['declaration'] = {
    name: 'payment_status',
    title: 'Payment status',
    description:
      'Free. Whether the payment with this authorization nonce was charged, its transaction, until when the identical call ' +
      'gets its answer again, and whether to repeat it.',
    inputSchema: {
      type: 'object',
      properties: {
        nonce: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$', description: 'Nonce of the signed authorization.' },
        payer: { type: 'string', description: 'Its wallet, should several have used the nonce.' },
      },
      required: ['nonce'],
      additionalProperties: false,
    },
    annotations: { title: 'Payment status', ...READS_ONLY },
  };

  constructor(private readonly findPaymentStatus: FindPaymentStatus) {}

  async call({ arguments: { nonce, payer } = {} }: ToolCall): Promise<CallToolResult> {
    return objectResult(await this.findPaymentStatus.execute(nonce, payer));
  }
}

/** The tools that cost nothing. */
@Injectable()
export class FreeTools {
  readonly all: readonly Tool[];

  constructor(listOffers: ListOffers, checkInput: CheckInput, paymentStatus: PaymentStatusTool) {
    this.all = [listOffers, checkInput, paymentStatus];
  }
}
