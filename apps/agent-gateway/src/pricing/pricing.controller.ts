import { PriceList } from '@evenkeel/contracts';
import { CachedDocument } from '@evenkeel/platform/http';
import { LimitedBy, RateLimitGuard } from '@evenkeel/platform/auth';
import { Controller, Get, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiHeader, ApiOperation, ApiQuery } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AgentGatewayConfig } from '../config/agent-gateway.config';
import { PaymentTerms } from '../config/payment-terms';
import { Answer, CACHE_HEADERS, SharedAnswers, TAGS, ADDRESS, MalformedQuestion } from '../documentation/answers';
import { Offers } from '../offers/offers';
import { priceList } from './price-list';
import { walletHint, WalletStatus } from './wallet-status';

/** Caches must not give the list of one caller to another who says which wallet is theirs. */
const VARY = 'X-PAYMENT, PAYMENT-SIGNATURE, X-Wallet-Address';

/** Prices and rebates; free. */
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
@Controller('agent/v1/pricing')
export class PricingController {
  private readonly prices: object;
  private readonly withoutWallet: CachedDocument;

  constructor(
    config: AgentGatewayConfig,
    terms: PaymentTerms,
    { digest }: Offers,
    private readonly walletStatus: WalletStatus,
  ) {
    this.prices = priceList(config, terms, digest);
    this.withoutWallet = new CachedDocument({ ...this.prices, wallet: null });
  }

  /** 200, with the status of the wallet when there is a hint; 304; 400 for a hint that is not an address; 503. */
  @Get()
  @ApiOperation({
    operationId: 'listPrices',
    summary: 'Prices, rebate, and the status of a wallet',
    description:
      'Free. With a hint which wallet calls (header, query, or the payer of a payment header, which is neither verified nor ' +
      'charged) also its tier, rebate and credits.',
    tags: [TAGS.free],
    security: [],
  })
  @ApiHeader({ name: 'X-Wallet-Address', required: false, description: 'The wallet that calls', schema: ADDRESS })
  @ApiQuery({ name: 'wallet', required: false, description: 'The same as a query', schema: ADDRESS })
  @Answer({ status: 200, type: PriceList, description: 'The price list', headers: CACHE_HEADERS })
  @MalformedQuestion('/agent/v1/pricing?wallet=me', '/wallet', 'must be an EVM address: 0x and 40 hex digits')
  @SharedAnswers({ 304: 'NotModified', 429: 'AgentRateLimited', 503: 'AgentServiceUnavailable' })
  async list(
    @Req() request: FastifyRequest,
    @Query('wallet') query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const hint = walletHint(request.headers, query);
    void reply.header('vary', VARY);
    if (hint === null) this.withoutWallet.send(reply);
    else void reply.send({ ...this.prices, wallet: await this.walletStatus.of(hint) });
  }
}
