import { CachedDocument } from '@evenkeel/platform/http';
import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/throttling';
import { Controller, Get, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { PaymentTerms } from '../config/payment-terms';
import { Offers } from '../offers/offers';
import { priceList } from './price-list';
import { walletHint, WalletStatus } from './wallet-status';

/** Caches must not give the list of one caller to another who says which wallet is theirs. */
const VARY = 'X-PAYMENT, PAYMENT-SIGNATURE, X-Wallet-Address';

/** What the calls cost and what comes back of it; free. */
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
@Controller('agent/v1/pricing')
export class PricingController {
  private readonly prices: object;
  private readonly withoutWallet: CachedDocument;

  constructor(
    config: AgentGatewayConfig,
    terms: PaymentTerms,
    { digest: offerDigest }: Offers,
    private readonly walletStatus: WalletStatus,
  ) {
    const { CREDIT_FACE_MICROS: creditFaceMicros, PAID_ANSWER_BUDGET_MS: timeoutMs, rates } = config;
    this.prices = priceList({ terms, offerDigest, creditFaceMicros, timeoutMs, walletRate: rates.agentWallet });
    this.withoutWallet = new CachedDocument({ ...this.prices, wallet: null });
  }

  /** 200, with the status of the wallet when there is a hint; 304; 400 for a hint that is not an address; 503. */
  @Get()
  async list(
    @Req() request: FastifyRequest,
    @Query('wallet') query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { headers } = request;
    const hint = walletHint(headers, query);
    void reply.header('vary', VARY);
    if (hint === null) this.withoutWallet.send(reply, headers['if-none-match']);
    else void reply.send({ ...this.prices, wallet: await this.walletStatus.of(hint) });
  }
}
