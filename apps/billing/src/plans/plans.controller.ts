import { CachedDocument } from '@evenkeel/platform/http';
import { LimitedBy, RateLimitGuard, Refuses } from '@evenkeel/platform/auth';
import { Controller, Get, Module, Res, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { BillingConfig } from '../billing.config';
import { catalogueOf, PlanCatalogueView } from './plan-catalogue';
import { PricesModule, PurchasablePlans } from './purchasable-plans';

@ApiTags('Plans')
@UseGuards(RateLimitGuard)
@LimitedBy('discovery')
@Controller('v1/billing/plans')
export class PlansController {
  private shown: { purchasable: ReadonlySet<string>; document: CachedDocument } | null = null;

  constructor(
    private readonly config: BillingConfig,
    private readonly plans: PurchasablePlans,
  ) {}

  /** 200, or 304 for a caller that has it. */
  @Get()
  @ApiOperation({
    operationId: 'listPlans',
    summary: 'Plans, prices and what they include',
    description: 'A plan is listed whether or not it can be bought; `purchasable` says so.',
    security: [],
  })
  @ApiOkResponse({ type: PlanCatalogueView, description: 'The catalogue' })
  @ApiResponse({ status: 304, description: 'The caller has it: the ETag is the one of If-None-Match' })
  @Refuses({ 429: '`rate_limited`: too many requests from this address' })
  async list(@Res() reply: FastifyReply): Promise<void> {
    const purchasable = await this.plans.recent();
    if (this.shown?.purchasable !== purchasable) {
      this.shown = { purchasable, document: new CachedDocument(catalogueOf(this.config, purchasable)) };
    }
    this.shown.document.send(reply);
  }
}

/** The plans, with their prices. */
@Module({
  imports: [PricesModule],
  controllers: [PlansController],
  providers: [PurchasablePlans],
  exports: [PurchasablePlans],
})
export class PlansModule {}
