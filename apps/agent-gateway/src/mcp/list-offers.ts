import { PAID_ENDPOINTS } from '@evenkeel/contracts';
import { ValidationFailed } from '@evenkeel/platform/validation';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { getAddress, isAddress } from 'viem';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { PaymentTerms } from '../config/payment-terms';
import { Offers } from '../offers/offers';
import { priceList } from '../pricing/price-list';
import { WalletStatus } from '../pricing/wallet-status';
import { READS_ONLY, type Tool, type ToolCall } from './tool';
import { objectResult } from './tool-results';

const TOOL_NAMES = new Map(PAID_ENDPOINTS.map(({ path, toolName }) => [path, toolName]));

/** The price list of HTTP, with the names of the tools. */
@Injectable()
export class ListOffers implements Tool {
  readonly declaration: Tool['declaration'];
  private readonly prices: object;

  constructor(
    config: AgentGatewayConfig,
    terms: PaymentTerms,
    { digest: offerDigest }: Offers,
    private readonly standing: WalletStatus,
  ) {
    const { CREDIT_FACE_MICROS: creditFaceMicros, PAID_ANSWER_BUDGET_MS: timeoutMs, rates } = config;
    const prices = priceList({ terms, offerDigest, creditFaceMicros, timeoutMs, walletRate: rates.agentWallet });
    const endpoints = prices.endpoints.map((offer) => ({ tool: TOOL_NAMES.get(offer.endpoint), ...offer }));
    this.prices = { ...prices, endpoints };
    this.declaration = {
      name: 'list_offers',
      title: 'List offers',
      description:
        'Free. What each paid tool costs, where the payment goes, and the rebate; with a wallet address also how that ' +
        'wallet stands: tier, lifetime spend, credits.',
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
      return objectResult({ ...this.prices, wallet: await this.standing.of(getAddress(wallet)) });
    }
    const message = 'must be an EVM address: 0x and 40 hex digits';
    throw new ValidationFailed([{ path: '/wallet', code: 'bad_format', message }]);
  }
}
